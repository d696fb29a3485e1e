/// What is stored under a key: JSON text, and the version of the item type that wrote it.
struct StoredText: Hashable, Sendable {
    let json: [UInt8]
    /// 0 where the file names none.
    var version = 0
}

/// The content stored under a key: JSON text, and the version of the item type that wrote it.
struct StoredJSON: Hashable, Sendable {
    let json: [UInt8]
    /// 0 if the file names none.
    var version = 0

    /// Whether both have the same meaning, however formatted. May parse both.
    static func saySame(_ left: StoredJSON?, _ right: StoredJSON?) -> Bool {
        guard left != right else { return true }
        guard let left, let right, left.version == right.version else { return false }
        // As bytes: Swift considers strings equal that only look alike. What cannot be parsed is compared as text.
        guard let left = try? JSONValue(parsing: left.json), let right = try? JSONValue(parsing: right.json) else { return false }
        return left.text() == right.text()
    }
}

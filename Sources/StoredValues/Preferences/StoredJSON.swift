/// What is stored under a key: JSON text, and the version of the item type that wrote it.
struct StoredJSON: Hashable, Sendable {
    let json: [UInt8]
    /// 0 where the file names none.
    var version = 0

    /// Whether both say the same, however they are indented. May parse both.
    static func saySame(_ left: StoredJSON?, _ right: StoredJSON?) -> Bool {
        guard left != right else { return true }
        guard let left, let right, left.version == right.version else { return false }
        // As bytes: strings that only look alike are equal for Swift. What cannot be read is as different as it is spelled.
        guard let left = try? JSONValue(parsing: left.json), let right = try? JSONValue(parsing: right.json) else { return false }
        return left.text() == right.text()
    }
}

import StoredValues

struct EditorWindow: Codable, Sendable, VersionedItem {
    var width = 800

    static let version = 2

    /// Called once for each step: from 0 (stored before there were versions) to 1, from 1 to 2.
    static func migrate(_ json: inout JSONValue, from version: Int) throws {
        if version == 1 { json["width"] = json["size"]?["width"] }
    }
}

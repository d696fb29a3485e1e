import StoredValuesSupport

/// Which version of its JSON an item type knows, and how older ones become that.
struct ItemSchema: Sendable {
    /// 0 for a type that has no versions.
    let version: Int
    private let type: (any VersionedItem.Type)?

    init(of itemType: any Any.Type) {
        type = itemType as? any VersionedItem.Type
        version = type?.version ?? 0
        requireProperUse(version >= 0, "\(itemType).version is \(version); a VersionedItem's version must be 0 or more")
    }

    /// Changes `json`, which was stored with `stored`, step by step into what the type decodes now.
    func migrate(_ json: inout JSONValue, from stored: Int) throws {
        guard let type else { return }
        for step in stored..<version { try type.migrate(&json, from: step) }
    }
}

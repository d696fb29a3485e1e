/// Items to JSON and back, as wrappers store them, for the package's other modules.
package enum ItemCoding {
    /// The item's JSON and the version of its type.
    package static func encode<Item: StorableItem>(_ item: Item) throws -> (json: JSONValue, version: Int) {
        (try ItemEncoder.encode(item), ItemSchema(of: Item.self).version)
    }

    /// The item, migrated if an older version of its type wrote it. Repairs nothing: throws if the JSON does not decode.
    package static func decode<Item: StorableItem>(_ type: Item.Type, from json: JSONValue, version: Int) throws -> Item {
        let schema = ItemSchema(of: type)
        guard version <= schema.version else { throw NewerVersion(stored: version, supported: schema.version) }
        var json = json
        try schema.migrate(&json, from: version)
        return try ItemDecoder.decode(type, from: json)
    }

    /// A newer version of the program wrote the value.
    package struct NewerVersion: Error {
        package let stored: Int
        package let supported: Int
    }
}

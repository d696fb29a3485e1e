import StoredValuesSupport

/// The bytes that stand for items in a keyring.
///
/// A `String` is its own UTF-8, so that other programs can read it (`secret-tool lookup` prints it); every other type is
/// JSON.
enum SecretCoding {
    /// Throws ``KeyringError/notDecodable`` when the item's `encode(to:)` throws.
    static func encode<Item: StorableItem>(_ item: Item) throws(KeyringError) -> Secret {
        // By its type: an optional string that is not nil would pass for a string too.
        if Item.self == String.self, let text = item as? String { return Secret(text.utf8) }
        var text: [UInt8]
        do {
            text = try ItemEncoder.encode(item).text()
        } catch {
            // What the error says of the value must not get out.
            throw .notDecodable
        }
        defer { text.withUnsafeMutableBytes(wipe) }
        return Secret(text)
    }

    /// Throws ``KeyringError/notDecodable`` when the bytes are no `Item`.
    static func decode<Item: StorableItem>(_ type: Item.Type, from secret: Secret) throws(KeyringError) -> Item {
        if type == RawSecret.self, let raw = RawSecret(secret) as? Item { return raw }
        var bytes = secret.withBytes { Array($0) }
        defer { bytes.withUnsafeMutableBytes(wipe) }
        if type == String.self, let text = String(validating: bytes, as: UTF8.self) as? Item { return text }
        do {
            return try ItemDecoder.decode(type, from: JSONValue(parsing: bytes))
        } catch {
            throw .notDecodable
        }
    }
}

import FoundationEssentials
import StoredValuesSupport

/// The bytes that items are stored as in a keyring.
///
/// A `String` is its own UTF-8, so that other programs can read it (`secret-tool lookup` prints it), and `Data` its own bytes;
/// every other type is JSON.
enum SecretCoding {
    /// Throws ``KeyringError/notEncodable`` when the item cannot be encoded.
    static func encode<Item: StorableItem>(_ item: Item) throws(KeyringError) -> Secret {
        // By type: a non-nil optional string would pass the cast too.
        if Item.self == String.self, let text = item as? String { return Secret(text.utf8) }
        if Item.self == Data.self, let data = item as? Data { return Secret(data) }
        var text: [UInt8]
        do {
            text = try ItemEncoder.text(item)
        } catch {
            // The error's text may contain the value.
            throw .notEncodable
        }
        defer { text.withUnsafeMutableBytes(wipe) }
        return Secret(text)
    }

    /// Throws ``KeyringError/notDecodable`` when the bytes do not decode as `Item`.
    static func decode<Item: StorableItem>(_ type: Item.Type, from secret: Secret) throws(KeyringError) -> Item {
        if type == RawSecret.self, let raw = RawSecret(secret) as? Item { return raw }
        if type == String.self, let text = text(of: secret) as? Item { return text }
        if type == Data.self, let data = secret.withBytes({ Data($0) }) as? Item { return data }
        var bytes = secret.withBytes { Array($0) }
        defer { bytes.withUnsafeMutableBytes(wipe) }
        do {
            return try ItemDecoder.decode(type, from: JSONValue(parsing: bytes))
        } catch {
            throw .notDecodable
        }
    }

    /// The secret as text, without the newline at the end of a file's line; nil if it is not UTF-8.
    static func text(of secret: Secret) -> String? {
        secret.withBytes { bytes in
            var text = bytes[...]
            if secret.isLine, text.last == UInt8(ascii: "\n") {
                text.removeLast()
                if text.last == UInt8(ascii: "\r") { text.removeLast() }
            }
            return String(validating: text, as: UTF8.self)
        }
    }
}

import FoundationEssentials
import StoredValuesSupport

/// The bytes that stand for items in a keyring.
///
/// A `String` is its own UTF-8, so that other programs can read it (`secret-tool lookup` prints it), and `Data` its own bytes;
/// every other type is JSON.
enum SecretCoding {
    /// Throws ``KeyringError/notDecodable`` when the item's `encode(to:)` throws.
    static func encode<Item: StorableItem>(_ item: Item) throws(KeyringError) -> Secret {
        // By its type: an optional string that is not nil would pass for a string too.
        if Item.self == String.self, let text = item as? String { return Secret(text.utf8) }
        if Item.self == Data.self, let data = item as? Data { return Secret(data) }
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

    /// The secret as a text, without the newline that ends the line of a file; nil when it is no UTF-8.
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

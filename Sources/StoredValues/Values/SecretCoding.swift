import FoundationEssentials
import StoredValuesSupport

/// Encodes items as the bytes that a keyring stores: a `String` as UTF-8, so that other programs can read it (`secret-tool lookup` prints
/// it), `Data` as its bytes, and every other type as JSON.
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
        if type == String.self, let text = secret.text as? Item { return text }
        if type == Data.self, let data = secret.withBytes({ Data($0) }) as? Item { return data }
        var bytes = secret.withBytes { Array($0) }
        defer { bytes.withUnsafeMutableBytes(wipe) }
        do {
            return try ItemDecoder.decode(type, from: bytes)
        } catch {
            throw .notDecodable
        }
    }
}

/// A secret's bytes, for code that does not know its type. It reads what wrappers of any type have stored, and may be in use beside one.
package struct RawSecret: StorableItem {
    private let secret: Secret

    init(_ secret: Secret) { self.secret = secret }

    /// The text that a wrapper of a `String` reads; nil if it is not UTF-8.
    package var text: String? { secret.text }

    /// A copy of its bytes, which is not wiped.
    package var bytes: [UInt8] { secret.withBytes { Array($0) } }
}

// Required by `Codable`, but never called: ``SecretCoding`` decodes this type itself, and nothing stores one.
extension RawSecret {
    package init(from decoder: any Decoder) throws { throw KeyringError.notDecodable }
    package func encode(to encoder: any Encoder) throws { throw KeyringError.notEncodable }
}

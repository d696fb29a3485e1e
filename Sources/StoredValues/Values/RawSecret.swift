/// A secret's bytes, for code that knows names but no types. It reads what wrappers of any type have stored, and may be live
/// beside one of them.
package struct RawSecret: StorableItem {
    private let secret: Secret

    init(_ secret: Secret) { self.secret = secret }

    /// The text that a wrapper of a `String` reads; nil if it is not UTF-8.
    package var text: String? { SecretCoding.text(of: secret) }

    /// A copy of its bytes, which is not wiped.
    package var bytes: [UInt8] { secret.withBytes { Array($0) } }
}

// Required by `Codable`, and never called: ``SecretCoding`` handles this type before, and it is never stored.
extension RawSecret {
    package init(from decoder: any Decoder) throws { throw KeyringError.notDecodable }
    package func encode(to encoder: any Encoder) throws { throw KeyringError.notEncodable }
}

extension RawSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "\(secret)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

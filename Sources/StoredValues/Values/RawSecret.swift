/// A secret as the keyring keeps it, for those that know names but no types; the counterpart of `PreferencesFile`'s
/// snapshot. It reads what wrappers of any type have stored, and may be live beside one of them.
package struct RawSecret: StorableItem {
    private let secret: Secret

    init(_ secret: Secret) { self.secret = secret }

    /// What a wrapper of a `String` reads; nil when it is no UTF-8.
    package var text: String? { SecretCoding.text(of: secret) }

    /// A copy of its bytes, which nobody wipes.
    package var bytes: [UInt8] { secret.withBytes { Array($0) } }
}

// ``SecretCoding`` reads it before it comes to this, and nobody stores one.
extension RawSecret {
    package init(from decoder: any Decoder) throws { throw KeyringError.notDecodable }
    package func encode(to encoder: any Encoder) throws { throw KeyringError.notDecodable }
}

extension RawSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "\(secret)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

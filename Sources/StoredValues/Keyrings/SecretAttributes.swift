/// How a secret's address is spelled in the desktop's keyring, where other programs may look for it.
public struct SecretAttributes: Hashable, Sendable {
    /// The attribute that holds ``SecretIdentifier/service``.
    let service: String
    /// The attribute that holds ``SecretIdentifier/account``.
    let account: String
    /// The schema that new items are given. Nothing is ever searched by it: items of many programs have none.
    let schema: String

    /// The attributes `service` and `account`, as `secret-tool`, node-keytar and many others write and read them:
    ///
    ///     secret-tool lookup service com.example.Editor account authToken
    public static let generic = SecretAttributes(
        service: "service", account: "account", schema: "org.freedesktop.Secret.Generic"
    )
}

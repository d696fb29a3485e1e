/// How a secret's address is spelled in the desktop's keyring, where other programs may look for it.
///
/// An item in the keyring has named attributes. A secret is sought by those that say its service and account, and by the
/// ``fixed`` ones; an item may have others besides, as most programs' items have. Nothing is sought by `xdg:schema`, for
/// many programs set none.
///
/// ```swift
/// SecretServiceKeyring(attributes: .pythonKeyring)    // what keyring.get_password(service, account) reads
/// ```
public struct SecretAttributes: Hashable, Sendable {
    /// The attribute that holds ``SecretIdentifier/service``.
    public let service: String
    /// The attribute that holds ``SecretIdentifier/account``.
    public let account: String
    /// Attributes that every item has, with their values; items are sought by them too.
    public let fixed: [String: String]
    /// Attributes that new items are given and no item is sought by.
    public let forNewItems: [String: String]

    /// A spelling of one's own: the names of the attributes for service and account, attributes that every item has, and
    /// attributes that new items are given besides (`xdg:schema` is `org.freedesktop.Secret.Generic` unless named).
    public init(service: String, account: String, fixed: [String: String] = [:], forNewItems: [String: String] = [:]) {
        self.service = service
        self.account = account
        self.fixed = fixed
        self.forNewItems = ["xdg:schema": "org.freedesktop.Secret.Generic"].merging(forNewItems) { _, own in own }
    }

    /// The attributes `service` and `account`, as node-keytar and many others write and read them:
    ///
    /// ```sh
    /// secret-tool lookup service com.example.Editor account authToken
    /// ```
    public static let generic = SecretAttributes(service: "service", account: "account")

    /// As the Python library `keyring` does: `keyring.get_password(service, account)`.
    public static let pythonKeyring = SecretAttributes(
        service: "service", account: "username", forNewItems: ["application": "Python keyring library"])

    /// As the Go library `zalando/go-keyring` does, which `gh` and others use: `keyring.Get(service, account)`.
    public static let goKeyring = SecretAttributes(service: "service", account: "username")

    /// As the Rust crate `keyring` does: `Entry::new(service, account)`.
    public static let keyringRS = SecretAttributes(
        service: "service", account: "username", fixed: ["target": "default"], forNewItems: ["application": "rust-keyring"])

    /// As KeePassXC shows entries: the service is the title, the account the user name. A new entry has the title only
    /// where its label says the same, so that is what new items are labelled with.
    public static let keePassXC = SecretAttributes(service: "Title", account: "UserName")

    /// What items of `service` are sought by.
    func search(service name: String) -> [String: String] { fixed.merging([service: name]) { _, own in own } }

    /// What the item of `id` is sought by.
    func search(_ id: SecretIdentifier) -> [String: String] {
        search(service: id.service).merging([account: id.account]) { _, own in own }
    }

    /// What a new item of `id` is to be called, if `label` is what its writer wants. KWallet refuses an empty label.
    func label(_ id: SecretIdentifier, wanted label: String) -> String {
        if service == "Title" { return id.service }
        return label.isEmpty ? id.description : label
    }
}

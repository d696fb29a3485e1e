import StoredValuesSupport

/// Which attributes identify an item in the desktop's keyring, where other programs may look for it.
///
/// An item in the keyring has named attributes. A secret is searched by its service and account attributes and the ``fixed``
/// ones; an item may have more attributes, and most programs' items have. The search does not use `xdg:schema`, because many
/// programs set none.
///
/// ```swift
/// // What keyring.get_password(service, account) reads
/// SecretServiceKeyring(attributes: .pythonKeyring)
/// ```
public struct SecretAttributes: Hashable, Sendable {
    /// The attribute that contains ``SecretIdentifier/service``.
    public let service: String
    /// The attribute that contains ``SecretIdentifier/account``.
    public let account: String
    /// Attributes that every item has, with their values; the search uses them too.
    public let fixed: [String: String]
    /// Attributes that are set for new items, but not used for searching.
    public let forNewItems: [String: String]

    /// Custom attributes: the names of the attributes for service and account, attributes that every item has, and additional
    /// attributes of new items (`xdg:schema` is `org.freedesktop.Secret.Generic` unless given).
    public init(service: String, account: String, fixed: [String: String] = [:], forNewItems: [String: String] = [:]) {
        self.service = service
        self.account = account
        self.fixed = fixed
        self.forNewItems = ["xdg:schema": "org.freedesktop.Secret.Generic"].merging(forNewItems) { _, own in own }
    }

    /// Compares bytes, as the keyring does.
    public static func == (left: SecretAttributes, right: SecretAttributes) -> Bool {
        func texts(_ attributes: [String: String]) -> [String] { attributes.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] } }
        func all(_ one: SecretAttributes) -> [String] { [one.service, one.account] + texts(one.fixed) + texts(one.forNewItems) }
        return left.fixed.count == right.fixed.count && all(left).elementsEqual(all(right)) { $0.isIdentical(to: $1) }
    }

    /// The attributes `service` and `account`, as used by node-keytar and many others:
    ///
    /// ```sh
    /// secret-tool lookup service com.example.Editor account authToken
    /// ```
    public static let generic = SecretAttributes(service: "service", account: "account")

    /// As used by the Python library `keyring`: `keyring.get_password(service, account)`.
    public static let pythonKeyring = SecretAttributes(
        service: "service", account: "username", forNewItems: ["application": "Python keyring library"])

    /// As used by the Go library `zalando/go-keyring`, and so by `gh` and others: `keyring.Get(service, account)`.
    public static let goKeyring = SecretAttributes(service: "service", account: "username")

    /// As used by the Rust crate `keyring`: `Entry::new(service, account)`.
    public static let keyringRS = SecretAttributes(
        service: "service", account: "username", fixed: ["target": "default"], forNewItems: ["application": "rust-keyring"])

    /// As KeePassXC displays entries: the service is the title, the account the user name. A new entry gets the title only if
    /// its label is the same, so new items are labelled with the service.
    public static let keePassXC = SecretAttributes(service: "Title", account: "UserName")

    /// The attributes to search items of `service` by.
    func search(service name: String) -> [String: String] { fixed.merging([service: name]) { _, own in own } }

    /// The attributes to search the item of `id` by.
    func search(_ id: SecretIdentifier) -> [String: String] {
        search(service: id.service).merging([account: id.account]) { _, own in own }
    }

    /// The label of a new item of `id`, given the `label` that its writer requests. KWallet refuses an empty label.
    func label(_ id: SecretIdentifier, wanted label: String) -> String {
        if service == "Title" { return id.service }
        return label.isEmpty ? id.description : label
    }
}

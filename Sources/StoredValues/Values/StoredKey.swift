import StoredValuesSupport

/// A key of a preferences file, declared once for all who use it.
///
/// ```swift
/// extension StoredKey where Item == Int {
///     static let limit = StoredKey("limit", default: 60, help: "Requests a minute")
/// }
///
/// struct Server {
///     @StoredValue(.limit) var limit                           // a property
///     let limits = StoredValue(.limit)                         // the same value, in a `let`
///     var limitNow: Int { PreferencesFile.standard[.limit] }   // read once
/// }
/// ```
///
/// ``PreferencesFile/settings(of:)-method`` tells what a settings page or `--help` needs of such keys, and
/// ``PreferencesFile/undeclaredKeys(besides:)-method`` which keys of the file are none of them.
public struct StoredKey<Item: StorableItem>: Sendable {
    /// What is to be used in place of an item, or a throw to refuse it.
    public typealias Validation = @Sendable (Item) throws -> Item

    /// The member of the file that holds the value.
    public let name: String
    let formerKeys: FormerKeys
    let decoding: DecodingStrategy
    let validate: Validation?
    /// What the value is for, as a settings page or `--help` says it.
    public let help: String
    /// The last, for a reader of the others need not know how large it is.
    let defaultItem: Item

    /// Declares a key.
    ///
    /// - Parameters:
    ///   - name: The member of the file that holds the value. An empty one, and one that begins with `$`, traps.
    ///   - defaultItem: What is read while nothing is stored.
    ///   - formerKeys: Names that the key had in earlier versions, the latest first.
    ///   - decoding: What to do about stored JSON that is no `Item`.
    ///   - validate: What is to be used in place of an item that is set or read, or a throw to refuse it. It may read other values;
    ///     setting one in it traps. The default is not validated.
    ///   - help: What the value is for, as a settings page or `--help` says it.
    public init(
        _ name: String, default defaultItem: Item, formerKeys: [String] = [], decoding: DecodingStrategy = .lenient,
        validate: Validation? = nil, help: String = ""
    ) {
        for key in [name] + formerKeys {
            requireProperUse(!key.isEmpty, "StoredKey(\"\") or StoredValue(key: \"\"): a key must not be empty")
            requireProperUse(
                !key.isReservedKey,
                "StoredKey(\"\(key)\") or StoredValue(key: \"\(key)\"): keys that begin with $ are kept for the library")
        }
        self.name = name
        self.defaultItem = defaultItem
        self.formerKeys = FormerKeys(names: formerKeys)
        self.decoding = decoding
        self.validate = validate
        self.help = help
    }

    /// What validation makes of `item`, or the reason why it refuses it.
    func validated(_ item: Item) throws -> Item {
        guard let validate else { return item }
        return try RunningValidations.run(of: name) { try validate(item) }
    }
}

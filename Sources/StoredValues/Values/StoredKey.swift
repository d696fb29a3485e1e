import StoredValuesSupport

/// A key of a preferences file, declared once for all its users.
///
/// ```swift
/// extension StoredKey where Item == Int {
///     static let limit = StoredKey("limit", default: 60, help: "Requests a minute")
/// }
///
/// struct Server {
///     @StoredValue(.limit) var limit                           // a property
///     let limits = StoredValue(.limit)                         // the same, in a `let`
///     var limitNow: Int { PreferencesFile.standard[.limit] }   // read once
/// }
/// ```
///
/// ``PreferencesFile/settings(of:)-4d92a`` lists such keys for a settings page or `--help`, and
/// ``PreferencesFile/undeclaredKeys(besides:)-73jmb`` finds the keys of the file that are not among them. See <doc:SettingsPages>.
public struct StoredKey<Item: StorableItem>: Sendable {
    /// Returns the item to use in place of the given one, or throws to refuse it.
    public typealias Validation = @Sendable (Item) throws -> Item

    /// The member of the file that holds the value.
    public let name: String
    /// The names that the key had in earlier versions of the program, latest first.
    let formerKeys: [String]
    let decoding: DecodingStrategy
    @usableFromInline let validate: Validation?
    /// The range that `validate` clamps to, if it was declared as one.
    var range: ItemRange<Item>?
    /// The name for people, for a settings page; empty if there is none.
    public let title: String
    /// What the value is for, for a settings page or `--help`.
    public let help: String
    /// The value while nothing is stored.
    public let defaultItem: Item  // last, so that readers of the other fields need not know its size

    /// Declares a key.
    ///
    /// - Parameters:
    ///   - name: The member of the file that holds the value. Traps if it is empty or begins with `$`.
    ///   - defaultItem: The value while nothing is stored.
    ///   - formerKeys: Names that the key had in earlier versions, latest first.
    ///   - decoding: What to do with stored JSON that does not decode as `Item`.
    ///   - validate: Returns the item to use in place of one that is set or read, or throws to refuse it. It may read other
    ///     values; setting one in it traps. The default is not validated.
    ///   - title: The name for people, for a settings page.
    ///   - help: What the value is for, for a settings page or `--help`.
    public init(
        _ name: String, default defaultItem: Item, formerKeys: [String] = [], decoding: DecodingStrategy = .lenient,
        validate: Validation? = nil, title: String = "", help: String = ""
    ) {
        for key in [name] + formerKeys {
            requireProperUse(!key.isEmpty, "StoredKey(\"\") or StoredValue(key: \"\"): a key must not be empty")
            requireProperUse(
                !key.isReservedKey,
                "StoredKey(\"\(key)\") or StoredValue(key: \"\(key)\"): keys that begin with $ are reserved for the library")
        }
        self.name = name
        self.defaultItem = defaultItem
        self.formerKeys = formerKeys
        self.decoding = decoding
        self.validate = validate
        self.title = title
        self.help = help
    }

    /// The item that validation returns for `item`; throws if it is refused. Inlined, because a call would look up the metadata of this type.
    @inline(__always)
    func validated(_ item: Item) throws -> Item {
        guard let validate else { return item }
        return try ThreadActivity.validate(name) { try validate(item) }
    }
}

extension StoredKey where Item: ExpressibleByNilLiteral {
    /// Declares a key of an optional whose default is nil; see ``init(_:default:formerKeys:decoding:validate:title:help:)``.
    public init(
        _ name: String, formerKeys: [String] = [], decoding: DecodingStrategy = .lenient, validate: Validation? = nil, title: String = "",
        help: String = ""
    ) {
        self.init(name, default: nil, formerKeys: formerKeys, decoding: decoding, validate: validate, title: title, help: help)
    }
}

/// A range of items. `ClosedRange` would need `Comparable`, which `Item` is known to be only where the range is declared.
struct ItemRange<Item: Sendable>: Sendable {
    let lowerBound: Item
    let upperBound: Item
    let description: String
    let contains: @Sendable (Item) -> Bool

    /// Thrown for an item outside of the range, or one that cannot be clamped, such as nan.
    func refusal(of item: Item) -> Explanation { Explanation("\(item) is not in \(description)") }
}

// The values that are stored under former keys.
extension StoredKey {
    /// Those that may be moved or removed, which excludes what a version above `version` wrote.
    private func formerlyStored(in view: StoredMembers, upTo version: Int) -> [(key: String, text: StoredJSON)] {
        formerKeys.compactMap { name in
            guard let text = view.own(PreferencesKey(name)), text.version <= version else { return nil }
            return (name, text)
        }
    }

    /// Moves the first value under a former key to this key, if nothing is stored there.
    func moveFormerKeys(in store: PreferencesStore, upTo version: Int) {
        guard !formerKeys.isEmpty else { return }
        store.rearrange { view in
            var changes = MemberChanges()
            if view.own(PreferencesKey(name)) == nil, let (former, text) = formerlyStored(in: view, upTo: version).first {
                // Unless another process has stored something there or changed it.
                changes.set(name, to: text, if: .ifStill(nil))
                changes.set(former, to: nil, if: .ifStill(text))
            }
            return changes
        }
    }

    /// Removes the values under former keys together with that of this key; otherwise one would come back at the next start.
    func removeFormerKeys(in store: PreferencesStore, upTo version: Int, _ changes: inout MemberChanges) {
        let view = store.view
        if let text = view.own(PreferencesKey(name)), text.version > version { return }  // then nothing is removed
        for (former, text) in formerlyStored(in: view, upTo: version) { changes.set(former, to: nil, if: .ifStill(text)) }
    }
}

extension StoredKey {
    /// Makes the environment variable of this key its value, if there is one. If that is not valid, logs why.
    func claimVariable(in store: PreferencesStore) {
        let key = PreferencesKey(name), itemType = ObjectIdentifier(Item.self)
        guard let (variable, text) = store.environment?.unclaimed(key, as: itemType) else { return }
        let content = Result {
            guard let text else { throw Explanation("it is not UTF-8") }
            let json = try json(typed: text)
            _ = try validated(item(from: json))
            return StoredJSON(json: json.text(level: 1), version: ItemSchema(of: Item.self).version)
        }
        // The error may be of the user's own type, whose text is made here, without a lock.
        store.claim(EnvironmentLayer.Claim(key: key, itemType: itemType, variable: variable, content: content.mapError { Explanation("\($0)") }))
    }
}

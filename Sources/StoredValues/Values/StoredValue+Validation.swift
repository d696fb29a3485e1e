// Validation by a range, and unavailable declarations for better compiler errors.

import StoredValuesSupport

extension StoredKey where Item: Comparable {
    /// Declares a key whose items lie in a range.
    ///
    /// Items outside of it, set or read, become the nearer bound, but ``StoredValue/set(checking:)``, ``StoredValue/set(durably:)`` and
    /// ``Setting`` refuse them. An item that does not equal itself, such as nan, is always refused. Traps if the range does not contain the
    /// default.
    ///
    /// - Parameters:
    ///   - name: The member of the file that holds the value. Traps if it is empty or begins with `$`.
    ///   - defaultItem: The value while nothing is stored.
    ///   - range: The smallest and the largest item.
    ///   - formerKeys: Names that the key had in earlier versions, latest first.
    ///   - decoding: What to do with stored JSON that does not decode as `Item`.
    ///   - title: The name for people, for a settings page.
    ///   - help: What the value is for, for a settings page or `--help`.
    public init(
        _ name: String, default defaultItem: Item, in range: ClosedRange<Item>, formerKeys: [String] = [],
        decoding: DecodingStrategy = .lenient, title: String = "", help: String = ""
    ) {
        requireProperUse(
            range.contains(defaultItem),
            "The range \(range) of the key \"\(name)\" does not contain its default \(defaultItem). Correct one of them.")
        let items = ItemRange<Item>(lowerBound: range.lowerBound, upperBound: range.upperBound, description: "\(range)") {
            range.contains($0)
        }
        self.init(
            name, default: defaultItem, formerKeys: formerKeys, decoding: decoding,
            validate: { item in
                guard item == item else { throw items.refusal(of: item) }
                return min(max(item, range.lowerBound), range.upperBound)
            }, title: title, help: help)
        self.range = items
    }
}

extension StoredValue where Item: Comparable {
    /// Declares a stored property whose items lie in a range; see ``StoredKey/init(_:default:in:formerKeys:decoding:title:help:)``.
    public convenience init(
        wrappedValue: Item, key: String, in range: ClosedRange<Item>, formerKeys: [String] = [],
        decoding: DecodingStrategy = .lenient, storage: PreferencesFile = .standard
    ) {
        self.init(key: key, default: wrappedValue, in: range, formerKeys: formerKeys, decoding: decoding, storage: storage)
    }

    /// Makes a stored value for a `let` whose items lie in a range; see ``StoredKey/init(_:default:in:formerKeys:decoding:title:help:)``.
    public convenience init(
        key: String, default defaultItem: Item, in range: ClosedRange<Item>, formerKeys: [String] = [],
        decoding: DecodingStrategy = .lenient, storage: PreferencesFile = .standard
    ) {
        self.init(StoredKey(key, default: defaultItem, in: range, formerKeys: formerKeys, decoding: decoding), storage: storage)
    }
}

// The compiler picks these for a closure that returns nothing, and shows their message.

extension StoredKey {
    /// Unavailable: a validation returns the item to use.
    @available(*, unavailable, message: "return the value to use: validate: { min($0, 5) }")
    public init(
        _ name: String, default defaultItem: Item, formerKeys: [String] = [], decoding: DecodingStrategy = .lenient,
        validate: @Sendable (inout Item) throws -> Void, title: String = "", help: String = ""
    ) { preconditionFailure("unavailable") }
}

extension StoredValue {
    /// Unavailable: a validation returns the item to use.
    @available(*, unavailable, message: "return the value to use: validate: { min($0, 5) }")
    public convenience init(
        wrappedValue: Item, key: String, formerKeys: [String] = [], decoding: DecodingStrategy = .lenient,
        validate: @Sendable (inout Item) throws -> Void, storage: PreferencesFile = .standard
    ) { preconditionFailure("unavailable") }

    /// Unavailable: a validation returns the item to use.
    @available(*, unavailable, message: "return the value to use: validate: { min($0, 5) }")
    public convenience init(
        key: String, default defaultItem: Item, formerKeys: [String] = [], decoding: DecodingStrategy = .lenient,
        validate: @Sendable (inout Item) throws -> Void, storage: PreferencesFile = .standard
    ) { preconditionFailure("unavailable") }
}

extension StoredValue where Item: ExpressibleByNilLiteral {
    /// Unavailable: a validation returns the item to use.
    @available(*, unavailable, message: "return the value to use: validate: { min($0, 5) }")
    public convenience init(
        key: String, formerKeys: [String] = [], decoding: DecodingStrategy = .lenient,
        validate: @Sendable (inout Item) throws -> Void, storage: PreferencesFile = .standard
    ) { preconditionFailure("unavailable") }
}

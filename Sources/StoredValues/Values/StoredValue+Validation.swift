// Validation by a range, and the form of one that the compiler is to refuse.

import StoredValuesSupport

extension StoredKey where Item: Comparable {
    /// Declares a key whose items lie in a range.
    ///
    /// What is set or read outside of it becomes the bound that is nearer; what equals not even itself, as nan, is refused. A range
    /// that does not hold the default traps.
    ///
    /// - Parameters:
    ///   - name: The member of the file that holds the value. An empty one, and one that begins with `$`, traps.
    ///   - defaultItem: What is read while nothing is stored.
    ///   - range: The least and the greatest item.
    ///   - formerKeys: Names that the key had in earlier versions, the latest first.
    ///   - decoding: What to do about stored JSON that is no `Item`.
    ///   - help: What the value is for, as a settings page or `--help` says it.
    public init(
        _ name: String, default defaultItem: Item, in range: ClosedRange<Item>, formerKeys: [String] = [],
        decoding: DecodingStrategy = .lenient, help: String = ""
    ) {
        requireProperUse(
            range.contains(defaultItem),
            "The range \(range) of the key \"\(name)\" does not hold its default \(defaultItem). Correct one of them.")
        self.init(
            name, default: defaultItem, formerKeys: formerKeys, decoding: decoding,
            validate: { item in
                guard item == item else { throw NotInRange(description: "\(item) does not lie in \(range)") }
                return min(max(item, range.lowerBound), range.upperBound)
            }, help: help)
    }
}

/// What a range says of an item that it cannot clamp.
private struct NotInRange: Error, CustomStringConvertible {
    let description: String
}

extension StoredValue where Item: Comparable {
    /// Declares a stored property whose items lie in a range; see ``StoredKey/init(_:default:in:formerKeys:decoding:help:)``.
    public convenience init(
        wrappedValue: Item, key: String, in range: ClosedRange<Item>, formerKeys: [String] = [],
        decoding: DecodingStrategy = .lenient, storage: PreferencesFile = .standard
    ) {
        self.init(key: key, default: wrappedValue, in: range, formerKeys: formerKeys, decoding: decoding, storage: storage)
    }

    /// Makes a stored value for a `let` whose items lie in a range; see ``StoredKey/init(_:default:in:formerKeys:decoding:help:)``.
    public convenience init(
        key: String, default defaultItem: Item, in range: ClosedRange<Item>, formerKeys: [String] = [],
        decoding: DecodingStrategy = .lenient, storage: PreferencesFile = .standard
    ) {
        self.init(StoredKey(key, default: defaultItem, in: range, formerKeys: formerKeys, decoding: decoding), storage: storage)
    }
}

// The compiler takes a closure for these that returns nothing, or what is no item, and says what to write.

extension StoredKey {
    /// Not here: a validation returns what is to be used.
    @available(*, unavailable, message: "return what is to be used: validate: { min($0, 5) }")
    public init(
        _ name: String, default defaultItem: Item, formerKeys: [String] = [], decoding: DecodingStrategy = .lenient,
        validate: @Sendable (inout Item) throws -> Void, help: String = ""
    ) { preconditionFailure("unavailable") }
}

extension StoredValue {
    /// Not here: a validation returns what is to be used.
    @available(*, unavailable, message: "return what is to be used: validate: { min($0, 5) }")
    public convenience init(
        wrappedValue: Item, key: String, formerKeys: [String] = [], decoding: DecodingStrategy = .lenient,
        validate: @Sendable (inout Item) throws -> Void, storage: PreferencesFile = .standard
    ) { preconditionFailure("unavailable") }

    /// Not here: a validation returns what is to be used.
    @available(*, unavailable, message: "return what is to be used: validate: { min($0, 5) }")
    public convenience init(
        key: String, default defaultItem: Item, formerKeys: [String] = [], decoding: DecodingStrategy = .lenient,
        validate: @Sendable (inout Item) throws -> Void, storage: PreferencesFile = .standard
    ) { preconditionFailure("unavailable") }
}

extension StoredValue where Item: ExpressibleByNilLiteral {
    /// Not here: a validation returns what is to be used.
    @available(*, unavailable, message: "return what is to be used: validate: { min($0, 5) }")
    public convenience init(
        key: String, formerKeys: [String] = [], decoding: DecodingStrategy = .lenient,
        validate: @Sendable (inout Item) throws -> Void, storage: PreferencesFile = .standard
    ) { preconditionFailure("unavailable") }
}

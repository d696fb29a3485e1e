import StoredValuesSupport

/// A declared key and its value, for a settings page, a command line or `--help`; see ``PreferencesFile/settings(of:)-4d92a``.
///
/// The values are JSON, as in the file: `"\(setting.value)"` prints it. A value that cannot be encoded is null. A setting is
/// a snapshot: after a change, ask again, or follow ``PreferencesFile/settingUpdates(of:)``.
public struct Setting: Sendable {
    /// The smallest and the largest value that can be set.
    public struct Bounds: Sendable, Hashable, CustomStringConvertible {
        /// The smallest.
        public let lowerBound: JSONValue
        /// The largest.
        public let upperBound: JSONValue
        /// Both, such as `1...100`.
        public var description: String { "\(lowerBound)...\(upperBound)" }
    }

    /// The member of the file that holds the value.
    public let name: String
    /// The name for people, as declared; empty if there is none.
    public let title: String
    /// What the value is for, as declared.
    public let help: String
    /// The value while nothing is stored.
    public let `default`: JSONValue
    /// The current value.
    public let value: JSONValue
    /// Where the current value comes from.
    public let source: ValueSource
    /// Whether something is stored under the key: in the file, or in memory while it cannot be saved; see ``StoredValue/isStored``.
    public let isStored: Bool
    /// The parts of the stored value that are broken, and what is read in their place.
    public let repairs: [Repair]
    /// The range that the key is declared with, if it is declared with one.
    public let range: Bounds?
    /// All values that can be set, if the type is an enum that is `CaseIterable` with raw values; else empty. Of an optional of such an
    /// enum they are the cases of the enum: null can be set, too, and is not among them.
    public let cases: [JSONValue]
    /// Whether the type is an optional, so that null can be set: an emptied text field may mean that.
    public let isOptional: Bool
    private let stored: any SettableValue

    init<Item>(_ stored: StoredValue<Item>) {
        func json(_ item: Item) -> JSONValue { (try? ItemEncoder.encode(item)) ?? .null }
        let key = stored.declaration
        (name, title, help) = (key.name, key.title, key.help)
        (`default`, value) = (json(key.defaultItem), json(stored.value))
        (source, isStored, repairs) = (stored.source, stored.isStored, stored.repairs)
        (range, cases, isOptional) = (key.bounds, ItemShape.cases(of: Item.self), Item.self is any OptionalItem.Type)
        self.stored = stored
    }

    /// Decodes a value as the key's type, validates it and stores it, as ``StoredValue/set(checking:)`` does. A member that is missing in an
    /// object takes its default, but an optional one is nil: that is how a nil is stored.
    ///
    /// Throws ``PreferencesError/notValid(key:path:reason:)`` if it is not of that type, or is refused; the reason says what is allowed.
    /// Throws the other errors of ``StoredValue/set(checking:)``, too. When it throws, the old value stays.
    public func set(_ value: JSONValue) throws(PreferencesError) { try stored.set(json: value) }

    /// Reads what a user typed as the key's type, and stores it as ``set(_:)`` does. Throws the same errors.
    ///
    /// `30` is a number if the type is a number, and a string if it is a string. Strings, dates and cases are typed without quotes: `dark`.
    /// Lists and objects are JSON: `["a", "b"]`, and `{"width": 800}`, which leaves everything else of a window at its default. Nothing is
    /// guessed: `2 h` is not a number, and `yes` is not `true`.
    public func set(text: String) throws(PreferencesError) { try stored.set(text: text) }

    /// Removes the stored value, as ``StoredValue/reset()`` does.
    public func reset() { stored.reset() }

    /// Whether a settings page shows the same for both, which are of one key.
    func isSame(as other: Setting) -> Bool {
        value == other.value && source == other.source && isStored == other.isStored && repairs == other.repairs
    }
}

/// A stored value of any type that can be set by JSON or by a text.
private protocol SettableValue: Sendable {
    func set(json: JSONValue) throws(PreferencesError)
    func set(text: String) throws(PreferencesError)
    func reset()
}

extension StoredValue: SettableValue {
    fileprivate func set(json: JSONValue) throws(PreferencesError) {
        let item: Item
        do {
            item = try declaration.item(from: json)
        } catch {
            throw notValid(declaration.strictSchema.misfit(json) ?? DecodingTrace.reason(error))
        }
        try set(checking: item)
    }

    fileprivate func set(text: String) throws(PreferencesError) {
        let json: JSONValue
        do throws(Explanation) { json = try declaration.json(typed: text) } catch { throw notValid(error.description) }
        try set(json: json)
    }

    private func notValid(_ reason: String) -> PreferencesError { .notValid(key: key, path: livePreference.store.path, reason: reason) }
}

extension StoredKey {
    /// The JSON for what a user typed, or for an environment variable, that decodes as the key's type. Throws why there is none.
    func json(typed text: String) throws(Explanation) -> JSONValue {
        let typed: JSONValue?
        do { typed = try JSONValue(typed: text) } catch { throw Explanation("it has \(error)") }
        let string = JSONValue.string(text), isText = string.item(Item.self) != nil
        var missing: String?
        if let typed {
            do {
                _ = try item(from: typed)
                // What decodes both as JSON and as a string is a string only if the type allows nothing but strings.
                if !isText || !strictSchema.isText { return typed }
            } catch DecodingError.keyNotFound(_, let context) {
                missing = context.debugDescription
            } catch {}
        }
        if isText { return string }
        let schema = strictSchema
        // The schema may name the part that does not fit.
        let misfit = typed.flatMap { schema.misfit($0) } ?? missing
        throw Explanation(misfit ?? (schema.isAnything ? "it cannot be read as \(Item.self)" : "it must be \(schema.words)"))
    }

    /// The item that `json` decodes to. As in the file, missing members take their default; nothing else is repaired.
    func item(from json: JSONValue) throws -> Item {
        do {
            return try ItemDecoder.decode(Item.self, from: json)
        } catch {
            guard let item = ItemRepair<Item>.decode(json, default: defaultItem, .strict).item else { throw error }
            // If one member is missing and another unknown, the name is probably misspelt.
            guard try ItemEncoder.encode(item).hasMembers(of: json) else { throw error }
            return item
        }
    }
}

extension JSONValue {
    /// Whether this has every member of `other`, on every level, except those that are null.
    fileprivate func hasMembers(of other: JSONValue) -> Bool {
        (other.objectValue ?? [:]).allSatisfy { name, value in value == .null || self[name]?.hasMembers(of: value) ?? false }
    }
}

// Everything here is `update(_:)` in other words, with the same guarantees; or says why it is not here.

extension StoredValue {
    /// Sets one property of the value; the others stay as they are then.
    public func set<Property>(_ property: WritableKeyPath<Item, Property>, to value: Property) {
        update(named: "set(_:to:)") { $0[keyPath: property] = value }
    }

    /// Not here: a value that is not optional needs a default.
    @available(*, unavailable, message: "give the property a default, as in \"= 14\", or make it optional")
    public convenience init(
        key: String, formerKeys: [String] = [], decoding: DecodingStrategy = .lenient, validate: Validation? = nil,
        storage: PreferencesFile = .standard
    ) { preconditionFailure("unavailable") }

    /// Not here: it is called ``reset()``.
    @available(*, unavailable, renamed: "reset()")
    public func remove() { preconditionFailure("unavailable") }
}

extension StoredValue where Item == Bool {
    /// Turns true into false and false into true.
    public func toggle() { update(named: "toggle()") { $0.toggle() } }
}

extension StoredValue where Item: RangeReplaceableCollection {
    /// Adds `element` at the end of the list.
    public func append(_ element: Item.Element) {
        update(named: "append(_:)") { $0.append(element) }
    }
}

extension StoredValue where Item: RangeReplaceableCollection, Item.Element: Equatable {
    /// Puts `replacement` in the place of every element that equals `element`; changes nothing when there is none.
    public func replace(_ element: Item.Element, with replacement: Item.Element) {
        update(named: "replace(_:with:)") { $0 = $0.replacing(every: element, with: replacement) }
    }

    /// Removes every element that equals `element`, or adds it at the end when there is none.
    public func togglePresence(_ element: Item.Element) {
        update(named: "togglePresence(_:)") { $0 = $0.togglingPresence(of: element) }
    }
}

extension StoredValue {
    /// Sets one entry of the dictionary, or removes it when `value` is nil.
    public func update<Key, Value>(key: Key, value: Value?) where Item == [Key: Value] {
        update(named: "update(key:value:)") { $0[key] = value }
    }
}

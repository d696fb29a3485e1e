// Shorthands for `update(_:)`, with the same guarantees, and unavailable declarations for better compiler errors.

extension StoredValue {
    /// Sets one property of the value; the others keep the values they have at that moment.
    public func set<Property>(_ property: WritableKeyPath<Item, Property>, to value: Property) {
        update(named: "set(_:to:)") { $0[keyPath: property] = value }
    }

    /// Unavailable: a value that is not optional needs a default.
    @available(*, unavailable, message: "give the property a default, as in \"= 14\", or make it optional")
    public convenience init(
        key: String, formerKeys: [String] = [], decoding: DecodingStrategy = .lenient, validate: Validation? = nil,
        storage: PreferencesFile = .standard
    ) { preconditionFailure("unavailable") }

    /// Unavailable: use ``reset()``.
    @available(*, unavailable, renamed: "reset()")
    public func remove() { preconditionFailure("unavailable") }
}

extension StoredValue where Item == Bool {
    /// Toggles the value.
    public func toggle() { update(named: "toggle()") { $0.toggle() } }
}

extension StoredValue where Item: RangeReplaceableCollection {
    /// Appends `element` to the list.
    public func append(_ element: Item.Element) {
        update(named: "append(_:)") { $0.append(element) }
    }
}

extension StoredValue where Item: RangeReplaceableCollection, Item.Element: Equatable {
    /// Replaces every element that equals `element` with `replacement`; changes nothing if there is none.
    public func replace(_ element: Item.Element, with replacement: Item.Element) {
        update(named: "replace(_:with:)") { $0 = $0.replacing(every: element, with: replacement) }
    }

    /// Removes every element that equals `element`, or appends it if there is none.
    public func togglePresence(_ element: Item.Element) {
        update(named: "togglePresence(_:)") { $0 = $0.togglingPresence(of: element) }
    }
}

extension StoredValue {
    /// Sets one entry of the dictionary, or removes it if `value` is nil.
    public func update<Key, Value>(key: Key, value: Value?) where Item == [Key: Value] {
        update(named: "update(key:value:)") { $0[key] = value }
    }
}

extension RangeReplaceableCollection where Element: Equatable {
    /// The collection without `element`, or with it appended if it was not in it.
    func togglingPresence(of element: Element) -> Self {
        var others = filter { $0 != element }
        if others.count == count { others.append(element) }
        return others
    }

    /// The collection with `replacement` in place of every `element`.
    func replacing(every element: Element, with replacement: Element) -> Self {
        Self(lazy.map { $0 == element ? replacement : $0 })
    }
}

// Everything here is `update(_:)` in other words, with the same guarantees; or says why it is not here.

extension SecurelyStoredValue {
    /// Sets one property of the secret. Throws ``KeyringError/notStored`` when there is none.
    public func set<Property: Sendable>(
        _ property: any WritableKeyPath<Item, Property> & Sendable, to value: Property
    ) async throws(SecretError) {
        try await updateInPlace { item throws(KeyringError) in
            guard item != nil else { throw .notStored }
            item?[keyPath: property] = value
        }
    }

    /// Not here: a secret in the code would be none.
    @available(*, unavailable, message: "a secret has no default: leave out \"= …\"; the property is nil while none is at hand")
    public convenience init(wrappedValue: Item?, key: String, service: String? = nil, keyring: some Keyring = .system) {
        preconditionFailure("unavailable")
    }

    /// Not here: it is called ``reset()``.
    @available(*, unavailable, renamed: "reset()")
    public func remove() async throws(SecretError) { preconditionFailure("unavailable") }
}

extension SecurelyStoredValue where Item == Bool {
    /// Turns true into false and false into true. Throws ``KeyringError/notStored`` when there is neither.
    public func toggle() async throws(SecretError) {
        try await updateInPlace { item throws(KeyringError) in
            guard let value = item else { throw .notStored }
            item = !value
        }
    }
}

extension SecurelyStoredValue where Item: RangeReplaceableCollection, Item.Element: Sendable {
    /// Adds `element` at the end of the list, which is empty when none is stored.
    public func append(_ element: Item.Element) async throws(SecretError) {
        try await updateInPlace { item throws(KeyringError) in
            item = item ?? Item()
            item?.append(element)
        }
    }
}

extension SecurelyStoredValue where Item: RangeReplaceableCollection, Item.Element: Equatable & Sendable {
    /// Puts `replacement` in the place of every element that equals `element`; changes nothing when there is none.
    public func replace(_ element: Item.Element, with replacement: Item.Element) async throws(SecretError) {
        try await updateInPlace { item throws(KeyringError) in item = item?.replacing(every: element, with: replacement) }
    }

    /// Removes every element that equals `element`, or adds it at the end when there is none.
    public func togglePresence(_ element: Item.Element) async throws(SecretError) {
        try await updateInPlace { item throws(KeyringError) in item = (item ?? Item()).togglingPresence(of: element) }
    }
}

extension SecurelyStoredValue {
    /// Sets one entry of the dictionary, which is empty when none is stored; nil removes the entry.
    public func update<Key: Sendable, Value: Sendable>(
        key: Key, value: Value?
    ) async throws(SecretError) where Item == [Key: Value] {
        try await updateInPlace { item throws(KeyringError) in
            item = item ?? [:]
            item?[key] = value
        }
    }
}

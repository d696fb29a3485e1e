// Shorthands for `update(_:)`, with the same guarantees, and unavailable declarations for better compiler errors.

extension SecurelyStoredValue {
    /// Sets one property of the secret. Throws ``KeyringError/notStored`` if there is no secret.
    public func set<Property: Sendable>(
        _ property: any WritableKeyPath<Item, Property> & Sendable, to value: Property
    ) async throws(SecretError) {
        try await updateInPlace { item throws(KeyringError) in
            guard item != nil else { throw .notStored }
            item?[keyPath: property] = value
        }
    }

    /// Unavailable: a secret in the source code would not be secret.
    @available(*, unavailable, message: "a secret has no default: leave out \"= …\"; the property is nil while none is at hand")
    public convenience init(wrappedValue: Item?, key: String, service: String? = nil, keyring: some Keyring = .system) {
        preconditionFailure("unavailable")
    }

    /// Unavailable: use ``reset()``.
    @available(*, unavailable, renamed: "reset()")
    public func remove() async throws(SecretError) { preconditionFailure("unavailable") }
}

extension SecurelyStoredValue where Item == Bool {
    /// Toggles the value. Throws ``KeyringError/notStored`` if none is stored.
    public func toggle() async throws(SecretError) {
        try await updateInPlace { item throws(KeyringError) in
            guard let value = item else { throw .notStored }
            item = !value
        }
    }
}

extension SecurelyStoredValue where Item: RangeReplaceableCollection, Item.Element: Sendable {
    /// Appends `element` to the list, which is empty if none is stored.
    public func append(_ element: Item.Element) async throws(SecretError) {
        try await updateInPlace { item throws(KeyringError) in
            item = item ?? Item()
            item?.append(element)
        }
    }
}

extension SecurelyStoredValue where Item: RangeReplaceableCollection, Item.Element: Equatable & Sendable {
    /// Replaces every element that equals `element` with `replacement`; changes nothing if there is none.
    public func replace(_ element: Item.Element, with replacement: Item.Element) async throws(SecretError) {
        try await updateInPlace { item throws(KeyringError) in item = item?.replacing(every: element, with: replacement) }
    }

    /// Removes every element that equals `element`, or appends it if there is none.
    public func togglePresence(_ element: Item.Element) async throws(SecretError) {
        try await updateInPlace { item throws(KeyringError) in item = (item ?? Item()).togglingPresence(of: element) }
    }
}

extension SecurelyStoredValue {
    /// Sets one entry of the dictionary, which is empty if none is stored; nil removes the entry.
    public func update<Key: Sendable, Value: Sendable>(
        key: Key, value: Value?
    ) async throws(SecretError) where Item == [Key: Value] {
        try await updateInPlace { item throws(KeyringError) in
            item = item ?? [:]
            item?[key] = value
        }
    }
}

extension SecurelyStoredValue {
    /// Not here: a secret in the code would be none.
    @available(*, unavailable, message: "a secret has no default: leave out \"= …\"; the property is nil while none is at hand")
    public convenience init(wrappedValue: Item?, key: String, service: String? = nil, keyring: some Keyring = .system) {
        preconditionFailure("unavailable")
    }
}

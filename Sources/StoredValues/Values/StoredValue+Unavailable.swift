extension StoredValue {
    /// Not here: a value that is not optional needs a default.
    @available(*, unavailable, message: "give the property a default, as in \"= 14\", or make it optional")
    public convenience init(
        key: String, formerKeys: [String] = [], decoding: DecodingStrategy = .lenient, validate: Validation? = nil,
        storage: PreferencesFile = .standard
    ) { preconditionFailure("unavailable") }
}

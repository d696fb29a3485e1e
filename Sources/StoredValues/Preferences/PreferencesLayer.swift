import StoredValuesFiles

/// A file of defaults below the person's own, as an administrator or a distribution lays it down. It is never written.
struct PreferencesLayer: Sendable {
    let file: DurableFile
    /// Where values of it come from.
    let source: ValueSource
    /// What the file held when it was last whole.
    private(set) var document = PreferencesDocument()
    /// The state of the file that `document` was read from; nil when there was none.
    private(set) var identity: FileIdentity?

    init(path: String, source: ValueSource) { (file, self.source) = (DurableFile(path: path), source) }

    /// Reads the file if it is another one than before, or `always`, and returns whether it was read. Throws when it cannot be read or
    /// does not parse; then the layer stays as it is.
    mutating func read(always: Bool = false) throws -> Bool {
        if !always, try file.currentIdentity() == identity { return false }
        let contents = try file.read()
        document = try contents.map { try PreferencesDocument(parsing: $0.bytes) } ?? PreferencesDocument()
        identity = contents?.identity
        return true
    }
}

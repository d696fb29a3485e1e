import StoredValuesFiles

/// A file of defaults below the user's own, provided by an administrator, a distribution or the fleet's agent. It is never
/// written.
struct PreferencesLayer: Sendable {
    let file: DurableFile
    /// The source of its values.
    let source: ValueSource
    /// The content of the file when it last parsed.
    private(set) var document = PreferencesDocument()
    /// The state of the file that `document` was read from; nil if there was none.
    private(set) var identity: FileIdentity?
    /// The digest of what was read from a fleet's file.
    private(set) var digest: String?
    /// Keeps the inode of a fleet's file in use: its status is only true if no replacement goes unnoticed.
    private var pin: FilePin?

    init(_ file: DurableFile, source: ValueSource) { (self.file, self.source) = (file, source) }

    /// Reads the file if it has changed, or `always`, and returns whether it was read. Throws if it cannot be read or does not
    /// parse; then the layer stays as it is.
    mutating func read(always: Bool = false) throws -> Bool {
        if !always, try file.currentIdentity() == identity, identity == nil || pin != nil || source != .fleet { return false }
        let contents = try file.read()
        document = try contents.map { try PreferencesDocument(parsing: $0.bytes) } ?? PreferencesDocument()
        identity = contents?.identity
        digest = source == .fleet ? contents.map { DurableFile.digest(of: $0.bytes) } : nil
        pin = source == .fleet ? identity.flatMap { FilePin($0, at: file.path, file.operations) } : nil
        return true
    }
}

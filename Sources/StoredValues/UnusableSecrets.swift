import FoundationEssentials
import StoredValuesFiles
import StoredValuesSupport

/// The fleet's files with secrets that this process could not use. The agent cannot find that out, and reports them as current: only programs
/// have the key, and opening a file with it is what proves that the file is genuine.
enum UnusableSecrets {
    private static let found = Guarded<[String: (file: FileIdentity?, since: Date, why: String)]>([:])

    /// Notes why the file at `path` could not be used; nil if it could.
    static func note(_ why: String?, of file: FileIdentity?, at path: String) {
        found.withLock { found in
            let since = found[path].flatMap { $0.file == file ? $0.since : nil } ?? .now
            found[path] = why.map { (file: file, since: since, why: $0) }
        }
    }

    /// Since when the file that is at `path` now could not be used, and why; nil if it was not noted.
    static func trouble(at path: String) -> (since: Date, why: String)? {
        guard let found = found.withLock({ $0[path] }), (try? DurableFile(path: path).currentIdentity()) == found.file else { return nil }
        return (found.since, found.why)
    }
}

import FoundationEssentials
import StoredValuesFiles
import StoredValuesSupport

/// The fleet's files with secrets that this process could not use. What a key opens is genuine, so a program needs no signature to check
/// them; but only it knows, and the agent says that all is current.
enum UnusableSecrets {
    private static let found = Guarded<[String: (file: FileIdentity?, since: Date, why: String)]>([:])

    /// The file at `path` could not be used for this reason; nil if it could.
    static func note(_ why: String?, of file: FileIdentity?, at path: String) {
        found.withLock { found in
            let since = found[path].flatMap { $0.file == file ? $0.since : nil } ?? .now
            found[path] = why.map { (file: file, since: since, why: $0) }
        }
    }

    /// Since when the file that is at `path` now cannot be used, and why; nil if nobody has found that.
    static func trouble(at path: String) -> (since: Date, why: String)? {
        guard let found = found.withLock({ $0[path] }), (try? DurableFile(path: path).currentIdentity()) == found.file else { return nil }
        return (found.since, found.why)
    }
}

import StoredValuesSupport
import Logging

/// Keeps every message that is logged in this process.
struct RecordingLogHandler: LogHandler {
    static let lines = Guarded<[String]>([])

    /// What was logged so far; from now on it counts anew.
    static func takeLines() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }

    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        Self.lines.withLock { $0.append("\(event.message)") }
    }
}

import StoredValuesSupport
import Logging

/// Holds back what the library logs until a command has succeeded: a failed command prints only its own message.
struct HeldLog: LogHandler {
    private static let lines = Guarded<[String]>([])

    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.warning

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        Self.lines.withLock { $0.append("\(event.message)") }
    }

    /// Prints what was logged since the last call.
    static func print() {
        let lines = lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
        for line in lines { Output.error.line("stored-values: \(Output.error.oneLine(line))") }
    }
}

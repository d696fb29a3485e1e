package import Logging
import StoredValuesSupport

/// Holds back what the library logs until a command has succeeded: a failed command prints only its own message.
package struct HeldLog: LogHandler {
    private static let lines = Guarded<[String]>([])

    package init() {}

    package var metadata: Logger.Metadata = [:]
    package var logLevel = Logger.Level.warning

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        Self.lines.withLock { $0.append("\(event.message)") }
    }

    /// Prints what was logged since the last call.
    package static func print() {
        let lines = lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
        for line in lines { Output.error.line("\(CommandLineProgram.name): \(Output.error.oneLine(line))") }
    }
}

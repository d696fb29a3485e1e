package import Logging
import StoredValuesSupport

/// Holds back what the library logs until a command has succeeded: a failed command prints only its own message.
package struct HeldLog: LogHandler {
    /// Nil once nothing is held back any more.
    private static let lines = Guarded<[String]?>([])

    package init() {}

    package var metadata: Logger.Metadata = [:]
    package var logLevel = Logger.Level.warning

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let isHeld = Self.lines.withLock { lines in
            lines?.append("\(event.message)")
            return lines != nil
        }
        if !isHeld { Self.print(["\(event.message)"]) }
    }

    /// Prints what was logged, and from now on each line as it is logged.
    package static func letGo() { print(lines.withLock { $0.take() } ?? []) }

    private static func print(_ lines: [String]) {
        for line in lines { Output.error.line("\(CommandLineProgram.name): \(Output.error.oneLine(line))") }
    }
}

import Logging

/// Prints each message as a line that begins with "log: ".
struct PrintingLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        say("log: \(event.level): \(event.message)")
    }
}

import Logging
import ServiceLifecycle
import StoredValues

/// A service that applies each edit of its settings and each new API key while it runs, and shuts down cleanly on SIGTERM.
/// `--config <path>` names another file of settings.
@main
enum Main {
    static func main() async throws {
        let arguments = CommandLine.arguments
        let config = arguments.firstIndex(of: "--config").flatMap { arguments.dropFirst($0 + 1).first }
        LoggingSystem.bootstrap(StreamLogHandler.standardOutput)  // first: a file that is opened may have something to log
        StorageSystem.bootstrap(
            applicationID: "com.example.ConfigWatcher", preferences: config.map { PreferencesFile(path: $0) })
        let logger = Logger(label: "ConfigWatcher")

        let uplink = Uplink(logger: logger)
        let group = ServiceGroup(
            services: [
                uplink,  // the last to shut down: the others use it
                SettingsWatcher(uplink: uplink, logger: logger),
                KeyWatcher(account: Account(), uplink: uplink, logger: logger),
            ],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger)
        try await group.run()
    }
}

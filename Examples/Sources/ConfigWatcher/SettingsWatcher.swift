import Logging
import ServiceLifecycle
import StoredValues

/// Passes each change of the settings to the uplink, until the shutdown. The library logs a mistake in the file, and keeps the
/// last good value.
struct SettingsWatcher: Service {
    let uplink: Uplink
    let logger: Logger

    func run() async {
        logger.info("Watching \(PreferencesFile.standard.path)")
        let values = PreferencesFile.values(of: StoredValue(.upstream), StoredValue(.keepAlive))
        for await (upstream, keepAlive) in values.cancelOnGracefulShutdown() {
            await uplink.use(upstream, keepAlive: keepAlive)
        }
    }
}

import Logging
import ServiceLifecycle
import StoredValues

/// Tells the uplink of the settings that somebody writes into the file, until the shutdown. A mistake in the file is logged by
/// the library, and changes nothing.
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

import Logging
import ServiceLifecycle
import StoredValues

/// Tells the uplink of each upstream that somebody writes into the file, until the shutdown.
struct SettingsWatcher: Service {
    let settings: Settings
    let uplink: Uplink
    let logger: Logger

    func run() async {
        logger.info("Watching \(PreferencesFile.standard.path)")
        for await upstream in settings.$upstream.values.cancelOnGracefulShutdown() {
            // A part that does not decode reads as its default. A running service would rather keep what it has.
            let repairs = settings.$upstream.repairs
            if repairs.isEmpty {
                await uplink.use(upstream)
            } else {
                logger.error("The upstream is left as it is: \(repairs.map(\.description).joined(separator: "; "))")
            }
        }
    }
}

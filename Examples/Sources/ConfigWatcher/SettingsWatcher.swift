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
        for await _ in settings.$upstream.values.cancelOnGracefulShutdown() {
            // A part that does not decode reads as its default. A running service would rather keep what it has.
            //
            // The element may be older than the file, and the repairs are those of the file now. So the upstream is read now,
            // too, and between two looks at the repairs: the file may change at any time, which brings another element.
            var repairs = settings.$upstream.repairs
            let upstream = settings.upstream
            if repairs.isEmpty { repairs = settings.$upstream.repairs }
            if repairs.isEmpty {
                await uplink.use(upstream)
            } else {
                logger.error("The upstream is left as it is: \(repairs.map(\.description).joined(separator: "; "))")
            }
        }
    }
}

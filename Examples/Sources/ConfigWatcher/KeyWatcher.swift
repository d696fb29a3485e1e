import Logging
import ServiceLifecycle
import StoredValues

/// Tells the uplink of each API key that somebody stores in the keyring, until the shutdown.
struct KeyWatcher: Service {
    let account: Account
    let uplink: Uplink
    let logger: Logger

    func run() async {
        do throws(SecretError) {
            try await account.$apiKey.load()
        } catch {
            // Unavailable is not absent. The loop begins when the keyring answers.
            logger.error("Whether there is an API key is not known: \(error)")
        }
        for await apiKey in account.$apiKey.values.cancelOnGracefulShutdown() {
            await uplink.use(apiKey: apiKey)
        }
    }
}

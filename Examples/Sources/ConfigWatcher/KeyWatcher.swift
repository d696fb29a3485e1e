import Logging
import ServiceLifecycle
import StoredValues

/// Passes each API key that is stored in the keyring to the uplink, until the shutdown.
struct KeyWatcher: Service {
    let account: Account
    let uplink: Uplink
    let logger: Logger

    func run() async {
        do throws(SecretError) {
            try await account.$apiKey.load()
        } catch {
            // Unavailable is not absent. The loop begins when the keyring answers.
            logger.error("It is not known whether there is an API key: \(error)")
        }
        for await apiKey in account.$apiKey.values.cancelOnGracefulShutdown() {
            await uplink.use(apiKey: apiKey)
        }
    }
}

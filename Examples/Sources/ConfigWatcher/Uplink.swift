import Logging
import ServiceLifecycle

/// The work of the service: a connection, which needs an upstream and an API key.
///
/// Where this logs that it connects, yours would open a socket.
actor Uplink: Service {
    private let logger: Logger
    private var settings: (upstream: Upstream, keepAlive: Int)?
    private var apiKey: String?
    private var isConnected = false

    init(logger: Logger) {
        self.logger = logger
    }

    /// Waits for the shutdown, which comes when no other service uses the uplink any more: this is the first one of the group.
    func run() async throws {
        try await gracefulShutdown()
        disconnect()
        logger.info("Shut down")
    }

    func use(_ upstream: Upstream, keepAlive: Int) {
        settings = (upstream, keepAlive)
        connect(because: "the settings say so")
    }

    /// - Parameter apiKey: nil where there is none.
    func use(apiKey: String?) {
        let isRotated = self.apiKey != nil
        self.apiKey = apiKey
        if apiKey == nil {
            disconnect()
            logger.notice("There is no API key: waiting for one")
        } else {
            connect(because: isRotated ? "the API key was rotated" : "there is an API key")
        }
    }

    private func connect(because reason: String) {
        guard let settings, apiKey != nil else { return }
        disconnect()
        isConnected = true
        logger.info("Connected to \(settings.upstream) (\(reason)), keep-alive every \(settings.keepAlive) s")
    }

    private func disconnect() {
        if isConnected { logger.info("Disconnected") }
        isConnected = false
    }
}

// swift-format-ignore-file
#if Configuration
import Configuration
import StoredValuesConfiguration

func connect() async throws {
    let config = ConfigReader(providers: [
        EnvironmentVariablesProvider(),                // its values win
        // Settings, and these keys from the keyring
        StoredValuesProvider(secrets: ["api.token"]),
    ])
    // Or throws why there is none
    let token = try await config.fetchRequiredString(forKey: "api.token")
    try await config.watchInt(forKey: "http.timeout", default: 30) { timeouts in
        // Now, then after every change
        for await timeout in timeouts { await reconnect(token, timeout) }
    }
}
#endif

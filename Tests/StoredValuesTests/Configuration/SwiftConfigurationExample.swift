// swift-format-ignore-file
#if Configuration
import Configuration
import StoredValuesConfiguration

func connect() async throws {
    let config = ConfigReader(providers: [
        EnvironmentVariablesProvider(),                // its values win
        StoredValuesProvider(secrets: ["api.token"]),  // settings, and these keys from the keyring
    ])
    let token = try await config.fetchRequiredString(forKey: "api.token")  // or throws why there is none
    try await config.watchInt(forKey: "http.timeout", default: 30) { timeouts in
        for await timeout in timeouts { await reconnect(token, timeout) }  // now, then after every change
    }
}
#endif

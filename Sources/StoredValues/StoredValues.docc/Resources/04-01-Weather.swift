import StoredValues

struct Settings {
    @StoredValue(key: "city") var city = "Hamburg"
}

struct Account {
    @SecurelyStoredValue(key: "token") var token: String?
}

@main
struct Weather {
    static func main() async throws {
        StorageSystem.bootstrap(applicationID: "com.example.Weather")
        let settings = Settings()
        let account = Account()

        if let city = CommandLine.arguments.dropFirst().first {
            settings.$city.set(city)
            try await settings.$city.flush()
        }
        for await city in settings.$city.values {
            print("The weather in \(city)", account.token == nil ? "(logged out)" : "(logged in)")
        }
    }
}

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

        switch CommandLine.arguments.dropFirst().first {
        case "login":
            guard let token = try Secret.ask("Token: ").text, !token.isEmpty else { return }
            try await account.$token.set(token)
            return
        case "logout":
            try await account.$token.reset()
            return
        case let city?:
            settings.$city.set(city)
            try await settings.$city.flush()
        case nil:
            break
        }
        do throws(SecretError) {
            let token = try await account.$token.load()
            print(token == nil ? "You are logged out." : "You are logged in.")
        } catch {
            print("The keyring gave no answer. \(error)")
        }
        for await city in settings.$city.values {
            print("The weather in \(city)", account.token == nil ? "(logged out)" : "(logged in)")
        }
    }
}

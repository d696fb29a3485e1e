import StoredValues

struct Settings {
    @StoredValue(key: "city") var city = "Hamburg"
}

@main
struct Weather {
    static func main() async throws {
        StorageSystem.bootstrap(applicationID: "com.example.Weather")
        let settings = Settings()

        if let city = CommandLine.arguments.dropFirst().first {
            settings.$city.set(city)
            try await settings.$city.flush()
        }
        print("The weather in \(settings.city)")
    }
}

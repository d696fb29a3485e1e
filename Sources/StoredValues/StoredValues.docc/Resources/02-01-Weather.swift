import StoredValues

struct Settings {
    @StoredValue(key: "city") var city = "Hamburg"
}

@main
struct Weather {
    static func main() async throws {
        StorageSystem.bootstrap(applicationID: "com.example.Weather")
        let settings = Settings()

        print("The weather in \(settings.city)")
    }
}

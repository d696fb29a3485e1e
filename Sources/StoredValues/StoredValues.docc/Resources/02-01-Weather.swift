import StoredValues

struct Settings {
    @StoredValue(key: "city") var city = "Hamburg"
}

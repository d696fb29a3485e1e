import StoredValues

/// Where the service connects to. What stands here in the file is taken up as soon as it is saved.
struct Upstream: Codable, Equatable, Sendable, CustomStringConvertible {
    var host = "localhost"
    var port: UInt16 = 8080

    var description: String { "\(host):\(port)" }
}

struct Settings: Sendable {
    @StoredValue(key: "upstream") var upstream = Upstream()
}

struct Account: Sendable {
    @SecurelyStoredValue<String>(key: "apiKey") var apiKey
}

import StoredValues

/// Where the service connects to. A change in the file is applied as soon as it is saved.
struct Upstream: Codable, Equatable, Sendable, CustomStringConvertible {
    var host = "localhost"
    var port: UInt16 = 8080

    var description: String { "\(host):\(port)" }
}

extension StoredKey where Item == Upstream {
    /// Strict, so that a mistake in the port never combines the new host with the old port.
    static let upstream = StoredKey("upstream", default: Upstream(), decoding: .strict, help: "The host and port to connect to")
}

extension StoredKey where Item == Int {
    static let keepAlive = StoredKey("keepAlive", default: 30, in: 1...3600, help: "Seconds between two keep-alive messages")
}

struct Account: Sendable {
    @SecurelyStoredValue(key: "apiKey") var apiKey: String?
}

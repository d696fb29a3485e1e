import StoredValues

/// Where the service connects to. What stands here in the file is taken up as soon as it is saved.
struct Upstream: Codable, Equatable, Sendable, CustomStringConvertible {
    var host = "localhost"
    var port: UInt16 = 8080

    var description: String { "\(host):\(port)" }
}

extension StoredKey where Item == Upstream {
    /// As a whole or not at all: a new host is not to be asked at the port of the old one, where the new port is a mistake.
    static let upstream = StoredKey("upstream", default: Upstream(), decoding: .strict, help: "The host and port to connect to")
}

extension StoredKey where Item == Int {
    static let keepAlive = StoredKey("keepAlive", default: 30, in: 1...3600, help: "Seconds between two signs of life")
}

struct Account: Sendable {
    @SecurelyStoredValue(key: "apiKey") var apiKey: String?
}

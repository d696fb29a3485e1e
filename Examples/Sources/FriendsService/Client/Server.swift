import Foundation

/// Where a request goes, and how long it may take: what the settings said when it was made.
struct Server: Sendable {
    let url: URL
    /// In seconds.
    let timeout: Int

    /// The part of the URL that identifies the server: scheme, host and port.
    var origin: String {
        "\(url.scheme ?? "")://\(url.host ?? "")\(url.port.map { ":\($0)" } ?? "")".lowercased()
    }
}

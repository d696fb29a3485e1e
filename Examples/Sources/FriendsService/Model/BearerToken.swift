/// The token that a server returns for a login and requires with each request. Printing it shows no secret.
struct BearerToken: Codable, Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    let text: String
    /// The server that gave it. No other one ever gets to see it.
    let origin: String

    var description: String { "BearerToken(redacted) of \(origin)" }
    var customMirror: Mirror { Mirror(self, children: ["origin": origin]) }
}

/// What a user logs in with. Sent once, stored nowhere.
public struct Credentials: Codable, Sendable {
    let name: String
    let password: String

    /// The name and the password of a user.
    public init(name: String, password: String) {
        self.name = name
        self.password = password
    }
}

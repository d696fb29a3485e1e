/// What a person logs in with. Sent once, kept nowhere.
public struct Credentials: Codable, Sendable {
    let name: String
    let password: String

    /// The name and the password of a person.
    public init(name: String, password: String) {
        self.name = name
        self.password = password
    }
}

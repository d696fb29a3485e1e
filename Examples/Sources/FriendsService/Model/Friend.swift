/// A friend of the user.
public struct Friend: Codable, Sendable, Equatable, Identifiable {
    /// The server's number for the friend.
    public let id: Int
    /// The friend's name.
    public let name: String

    /// A friend with these.
    public init(id: Int, name: String) {
        self.id = id
        self.name = name
    }
}

/// A person whom one knows.
public struct Friend: Codable, Sendable, Equatable, Identifiable {
    /// The server's number for the person.
    public let id: Int
    /// What the person is called.
    public let name: String

    /// A friend with these.
    public init(id: Int, name: String) {
        self.id = id
        self.name = name
    }
}

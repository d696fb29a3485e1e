/// A part of the list of friends.
public struct FriendPage: Codable, Sendable, Equatable {
    /// The friends on this page, in the order of their numbers.
    public let friends: [Friend]
    /// Whether more friends come after these.
    public let hasMore: Bool

    /// A page with these.
    public init(friends: [Friend], hasMore: Bool) {
        self.friends = friends
        self.hasMore = hasMore
    }
}

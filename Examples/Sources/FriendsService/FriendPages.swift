/// The list of friends as a sequence of pages.
public struct FriendPages: AsyncSequence, Sendable {
    let service: FriendsService

    /// A reader that begins at the first page.
    public func makeAsyncIterator() -> Iterator { Iterator(service: service) }

    /// Asks for one page after another.
    public struct Iterator: AsyncIteratorProtocol {
        let service: FriendsService
        private var last: Friend.ID?
        private var isAtEnd = false

        init(service: FriendsService) {
            self.service = service
        }

        /// The next page, or nil after the last one. After an error, calling again asks for the same page again.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(FriendsError) -> FriendPage? {
            guard !isAtEnd else { return nil }
            let page = try await service.friends(after: last)
            last = page.friends.last?.id ?? last
            isAtEnd = !page.hasMore || page.friends.isEmpty
            return page
        }
    }
}

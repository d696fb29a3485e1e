/// What gives new tokens for old ones, as a server does.
actor TokenServer {
    /// The old ones, in the order in which they came.
    private(set) var refreshed: [String?] = []

    func refresh(_ token: String?) async -> String {
        refreshed.append(token)
        let number = refreshed.count
        for _ in 0..<100 { await Task.yield() }
        return "fresh \(number)"
    }
}

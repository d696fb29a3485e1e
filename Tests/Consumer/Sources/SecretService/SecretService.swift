public struct Connection: Sendable {
    public init() {}
}

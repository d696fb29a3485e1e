public struct Guarded<State> {
    public var state: State
    public init(_ state: State) { self.state = state }
}

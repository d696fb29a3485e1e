import Testing

/// A test that keeps a processor busy for long: five of them run at a time, so that those beside them get their turns. With three, both
/// processors of a small machine stood idle for a fifth of the time, as some also wait.
struct HeavyTrait: TestTrait, SuiteTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
    ) async throws {
        await heavyTurns.begin()
        defer { heavyTurns.end() }
        try await body()
    }
}

extension Trait where Self == HeavyTrait {
    static var heavy: HeavyTrait { HeavyTrait() }
}

private let heavyTurns = Turns(5)

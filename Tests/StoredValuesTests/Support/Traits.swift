import Foundation
import StoredValuesSupport
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

/// Lets so many at a time have their turn; the others wait in the order in which they came.
final class Turns: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Guarded<State>

    init(_ count: Int) { state = Guarded(State(free: count)) }

    /// Waits for a turn, which whoever has it must end.
    func begin() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    func end() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}

#if !(EncryptedFile && Libsecret)
    #error("These tests need the default traits. What is to be seen without them is tested by Tests/WithoutTraits.")
#endif

#if Store
    let isStoreBuiltIn = true
#else
    let isStoreBuiltIn = false
#endif

/// The cases of tests that cannot run here. `Tests/run` names a file for them and says in one line how many there were.
enum SkippedCase {
    private static let file = ProcessInfo.processInfo.environment["STORED_VALUES_SKIPPED"]
    private static let reasons = Guarded<Set<String>>([])

    /// Ends the case. What `isRequired` must be there in continuous integration.
    static func end(because reason: String, isRequired: Bool = false) throws -> Never {
        if isRequired, ProcessInfo.processInfo.environment["CI"] == "true" { Issue.record("\(reason)") }
        // Swift 6.3 prints a cancelled case as a passed one and keeps the reason to itself.
        reasons.withLock { reasons in
            if let file {
                // Appended, so that no part of the tests loses another's line.
                let descriptor = open(file, O_WRONLY | O_APPEND | O_CLOEXEC)
                let line = Array("\(reason)\n".utf8)
                if write(descriptor, line, line.count) != line.count { Issue.record(SystemFailure("write to \(file)", errno)) }
                close(descriptor)
            } else if reasons.insert(reason).inserted {
                Issue.record("cases are skipped: \(reason)", severity: .warning)
            }
        }
        try Test.cancel("\(reason)")
    }

    /// Ends the case where another user than root runs the tests.
    static func endUnlessRoot(because reason: String) throws {
        if geteuid() != 0 { try end(because: reason, isRequired: true) }
    }
}

import StoredValuesSupport
import Testing

/// Waits until `condition` holds, looking every 10 ms; records a failure when it does not within `limit`. That is long, for
/// only a failure waits so long, and under the thread sanitizer a busy machine takes its time.
/// The only place in the tests that sleeps.
func eventually(
    _ what: String, within limit: Duration = hangLimit, _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < end else { throw NeverHappened(what: what, limit: limit) }
        try await Task.sleep(for: .milliseconds(10))
    }
}

/// What `eventually` waited for in vain.
struct NeverHappened: Error, CustomStringConvertible {
    let what: String
    let limit: Duration
    var description: String { "not within \(limit): \(what)" }
}

/// How long `body` took.
func elapsed(_ body: () async throws -> Void) async rethrows -> Duration {
    let start = ContinuousClock.now
    try await body()
    return ContinuousClock.now - start
}

/// After how long something that was waited for counts as hung. Only a failure waits so long, and no machine is so slow: under the thread
/// sanitizer all tests together took 15 minutes of a slow one, and some waited for 10.
let hangLimit = Duration.seconds(1_800)

extension Trait where Self == TimeLimitTrait {
    /// Ends what hangs. The turns of other heavy tests count, so it is longer than all tests together take anywhere.
    static var hangLimit: TimeLimitTrait { .timeLimit(.minutes(60)) }
}

/// What a task has collected so far, for a test to look at while the task goes on.
final class Collector<Element: Sendable>: Sendable {
    private let state = Guarded<[Element]>([])
    private let task = Guarded<Task<Void, Never>?>(nil)

    var elements: [Element] { state.withLock { $0 } }

    /// Collects what `elements` yields, until this object goes.
    init(_ elements: some AsyncSequence<Element, Never> & Sendable) {
        let collecting = Task { [weak self] in
            for await element in elements {
                guard let self else { return }
                self.state.withLock { $0.append(element) }
            }
        }
        task.withLock { $0 = collecting }
    }

    /// Waits until exactly these elements have come; records what came instead.
    func wait(for expected: [Element], _ location: SourceLocation = #_sourceLocation) async throws
    where Element: Equatable {
        try await wait("not \(expected)", location) { $0 == expected }
    }

    /// Waits until this is the last element.
    func wait(untilLast expected: Element, _ location: SourceLocation = #_sourceLocation) async throws
    where Element: Equatable {
        try await wait("not \(expected) at last", location) { $0.last == expected }
    }

    private func wait(
        _ failure: String, _ location: SourceLocation, _ condition: ([Element]) -> Bool
    ) async throws {
        do {
            try await eventually("these elements have come") { condition(elements) }
        } catch is NeverHappened {
            Issue.record("\(failure), but \(elements)", sourceLocation: location)
        }
    }

    deinit { task.withLock { $0 }?.cancel() }
}

import StoredValuesSupport
import Testing

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

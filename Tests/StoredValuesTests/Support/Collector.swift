import Locking

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

    deinit { task.withLock { $0 }?.cancel() }
}

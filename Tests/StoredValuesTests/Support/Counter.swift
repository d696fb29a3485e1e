import StoredValuesSupport

/// Counts what happens, on whatever thread.
final class Counter: Sendable {
    private let count = Guarded(0)

    /// How often it has happened.
    var value: Int { count.withLock { $0 } }

    /// Counts one more; returns its number, from 1 on.
    @discardableResult
    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}

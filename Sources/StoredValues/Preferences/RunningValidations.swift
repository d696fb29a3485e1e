import StoredValuesSupport
import Synchronization

/// The validations that are running: a change inside one traps, because validity must not depend on the order of calls.
enum RunningValidations {
    /// Saves changes the table lookup while none runs. A thread sees its own count, and that is enough.
    private static let count = Atomic(0)
    /// The key of each thread's innermost validation: a validation may read another value, which is validated then.
    private static let keys = Guarded<[UInt: String]>([:])

    /// Runs a validation of `key`.
    static func run<Item>(of key: String, _ validation: () throws -> Item) rethrows -> Item {
        let thread = currentThreadNumber()
        count.add(1, ordering: .relaxed)
        let outer = keys.withLock { $0.updateValue(key, forKey: thread) }
        defer {
            keys.withLock { $0[thread] = outer }
            count.subtract(1, ordering: .relaxed)
        }
        return try validation()
    }

    /// The key whose validation the calling thread is in, if any.
    static var key: String? {
        guard count.load(ordering: .relaxed) != 0 else { return nil }
        return keys.withLock { $0[currentThreadNumber()] }
    }
}

import StoredValuesSupport
import Synchronization

/// The validations that run just now: a change inside one traps, for what is valid must depend on nobody's order of calls.
enum RunningValidations {
    /// Spares changes the look into the table while none runs. A thread sees what it counted itself, and needs to see no more.
    private static let count = Atomic(0)
    /// Whose validation a thread is in, the innermost: one may read another value, which is validated then.
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

    /// The key whose validation the calling thread is in, if it is in one.
    static var key: String? {
        guard count.load(ordering: .relaxed) != 0 else { return nil }
        return keys.withLock { $0[currentThreadNumber()] }
    }
}

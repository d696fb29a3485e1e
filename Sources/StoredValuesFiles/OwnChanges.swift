import StoredValuesSupport
import Synchronization

/// When this process last replaced a file. While it does so again and again, the watch thread rests between events: each replacement
/// has half a dozen of them, most of the temporary file, and waking a thread for each costs a third of the time of the change itself.
enum OwnChanges {
    private static let last = Atomic(Int64.min)

    static func note() { last.store(monotonicNanoseconds(), ordering: .relaxed) }

    /// Whether the last one was a moment ago.
    static var areRecent: Bool { last.load(ordering: .relaxed) > monotonicNanoseconds() - 100_000_000 }
}

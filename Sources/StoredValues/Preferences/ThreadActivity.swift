import StoredValuesSupport
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// What a thread is inside of: a change or a batch of a file, a consistent read, a validation.
///
/// A change inside another one would wait for itself, and what a thread reads depends on the batch or read that it is in. Each
/// thread notes its own activities and asks for no others, so that no lock is needed.
enum ThreadActivity: Equatable, CustomStringConvertible {
    /// A change of a file: the call and the key. They are formatted only if needed.
    case change(String, key: String?)
    /// A change by the library itself, which does not affect what users read, and may be made inside any other activity.
    case rearrangement
    /// `batch { }`, which includes other changes of the same thread.
    case batch
    /// A consistent read: the number of its view.
    case reading(Int)
    /// The validation of this key. A change inside it traps, because validity must not depend on the order of calls.
    case validation(of: String)

    var description: String {
        switch self {
        case .change(let call, let key): call + (key.map { " of \"\($0)\"" } ?? "")
        case .rearrangement: "a change of the library's own"
        case .batch: "batch { }"
        case .reading: "withConsistentValues { }"
        case .validation(let key): "the validation of \"\(key)\""
        }
    }

    /// Whether it is a change or a batch, which holds the file's turn.
    private var isTurn: Bool {
        switch self {
        case .change, .rearrangement, .batch: true
        case .reading, .validation: false
        }
    }

    // MARK: The calling thread

    /// What the calling thread does with this file, innermost; nil if nothing.
    static func current(in store: PreferencesStore) -> ThreadActivity? { ofThread.pointee.last { $0.store === store }?.activity }

    /// The change or batch of this file that the calling thread is in, innermost; nil if it does not hold the file's turn.
    static func turn(of store: PreferencesStore, in stack: [Entry] = ofThread.pointee) -> ThreadActivity? {
        // By positions: looking at each entry as a whole would copy it, and retain what is in it.
        stack.indices.last { stack[$0].store === store && stack[$0].activity.isTurn }.map { stack[$0].activity }
    }

    /// Whether the calling thread is in one change of this file, which is inside of no batch.
    static func isInOneTurn(of store: PreferencesStore) -> Bool { ofThread.pointee.count { $0.store === store && $0.activity.isTurn } == 1 }

    /// The change or the consistent read of a file that the calling thread is in, innermost; nil if there is none.
    static var ofAnyFile: Entry? { ofThread.pointee.last { $0.store != nil } }

    /// Whether the calling thread, which begins a change or a batch of this file, is already in one, which then writes these changes
    /// too. Traps with a message that names both if they may not be nested.
    static func isInsideTurn(_ activity: ThreadActivity, of store: PreferencesStore) -> Bool {
        let stack = ofThread
        guard !stack.pointee.isEmpty else { return false }
        let outer = turn(of: store, in: stack.pointee)
        if activity != .rearrangement {
            if case .validation(let key) = stack.pointee.last(where: { $0.store == nil })?.activity {
                programmerError(
                    "\(activity) was called inside the validation of \"\(key)\". A validation may read other values, but not change any: it returns the item to use, or throws.")
            }
            if let outer, outer != .batch {
                let advice = activity == .batch ? "Move it into the batch." : "Make the second change after the first has returned."
                programmerError("\(activity) was called inside the closure of \(outer), and both change \"\(store.path)\". \(advice)")
            }
        }
        return outer != nil
    }

    /// Notes that the calling thread begins this, until ``end()``.
    static func begin(_ activity: ThreadActivity, in store: PreferencesStore?) {
        if activity.hasView { SpecialReaders.all.count.add(1, ordering: .relaxed) }
        ofThread.pointee.append((activity, store))
    }

    /// Notes that the calling thread ends what it began last.
    static func end() {
        if ofThread.pointee.removeLast().activity.hasView { SpecialReaders.all.count.subtract(1, ordering: .relaxed) }
    }

    static func validate<Item>(_ key: String, _ validation: () throws -> Item) rethrows -> Item {
        begin(.validation(of: key), in: nil)
        defer { end() }
        return try validation()
    }

    /// Runs what the thread does for others, for whom it is inside of no validation.
    static func outside(_ body: () -> Void) {
        let stack = ofThread
        guard !stack.pointee.isEmpty else { return body() }
        let own = exchange(&stack.pointee, with: [])
        defer { stack.pointee = own }
        body()
    }

    /// Whether the thread may read other values in it than other threads do.
    private var hasView: Bool {
        switch self {
        case .batch, .reading: true
        case .change, .rearrangement, .validation: false
        }
    }

    // MARK: Storage

    typealias Entry = (activity: ThreadActivity, store: PreferencesStore?)

    /// The activities of the calling thread, innermost last. In plain memory, because accesses to an object would be checked at run
    /// time.
    private static var ofThread: UnsafeMutablePointer<[Entry]> {
        if let stack = pthread_getspecific(key) { return stack.assumingMemoryBound(to: [Entry].self) }
        let new = UnsafeMutablePointer<[Entry]>.allocate(capacity: 1)
        new.initialize(to: [])
        pthread_setspecific(key, new)
        return new
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let code = pthread_key_create(&key) { (stack: UnsafeMutableRawPointer?) in
            guard let stack = stack?.assumingMemoryBound(to: [Entry].self) else { return }
            stack.deinitialize(count: 1)
            stack.deallocate()
        }
        guard code == 0 else { programmerError("The process has no thread-specific key left, and needs one (pthread_key_create: \(code)).") }
        return key
    }()
}

/// Admits one change of a file at a time in this process.
struct TurnLock: ~Copyable, Sendable {
    private let turn = Guarded(())
    /// When the last turn ended, in nanoseconds since the machine started; the largest number while a thread is inside.
    private let end = Atomic(Int64.min)

    /// Waits until no other thread is inside. The calling thread must be outside.
    func enter() {
        turn.lock()
        end.store(.max, ordering: .relaxed)
    }

    func leave() {
        end.store(monotonicNanoseconds(), ordering: .relaxed)
        turn.unlock()
    }

    /// Whether any thread is inside, or was a moment ago.
    var isBusy: Bool { end.load(ordering: .relaxed) > monotonicNanoseconds() - 100_000_000 }
}

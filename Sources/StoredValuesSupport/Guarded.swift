public import Synchronization

/// A state that one thread at a time may use: `Mutex`, in a form that the thread sanitizer understands.
///
/// On Linux a contended `Mutex` is acquired inside the standard library, which is not built with the sanitizer; it misses
/// that one thread's turn came before the next one's, and reports races where there are none (seen with Swift 6.3.1: two
/// reports from eight threads appending under one `Mutex`, none with this). The users of a library run the sanitizer too.
/// An atomic flag, written at the end of each turn and read at the beginning of the next, shows it the order. On x86-64
/// that is one plain load and one plain store.
///
/// Public, though no product has this module: what is `package` is never inlined into another module, and then each use
/// looks up the types of the state and the result, which takes several times as long as the lock.
public struct Guarded<State>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<State>
    @usableFromInline let handover = Atomic<Bool>(false)

    /// Guards `state`.
    @inlinable public init(_ state: consuming sending State) {
        mutex = Mutex(state)
    }

    /// Runs `body` when no other thread is in here. Not to be nested.
    @inlinable public borrowing func withLock<Result: ~Copyable, Failure>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { (state: inout sending State) throws(Failure) -> sending Result in
            _ = handover.load(ordering: .acquiring)
            defer { handover.store(true, ordering: .releasing) }
            return try body(&state)
        }
    }
}

extension Guarded where State == Void {
    /// Waits until no other thread is in here; the same thread then calls ``unlock()``. For generic code that is run often:
    /// the closures of ``withLock(_:)`` would look up the type of their result, which takes as long as the lock. `Mutex` has
    /// this only with underscores in its name; nobody else here uses them.
    @inlinable public borrowing func lock() {
        mutex._unsafeLock()
        _ = handover.load(ordering: .acquiring)
    }

    /// Lets the next thread in.
    @inlinable public borrowing func unlock() {
        handover.store(true, ordering: .releasing)
        mutex._unsafeUnlock()
    }
}

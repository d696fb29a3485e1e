public import Synchronization

/// A state that one thread at a time may use: `Mutex`, in a form that the thread sanitizer understands.
///
/// On Linux a contended `Mutex` is acquired inside the standard library, which is not built with the sanitizer, so that it reports
/// races where there are none (seen with Swift 6.3.1, eight threads appending under one `Mutex`). An atomic flag, written at the end
/// of each turn and read at the beginning of the next, makes their order visible. On x86-64 that is one plain load and store.
///
/// Public, although no product exports this module: `package` code is never inlined into another module, and each use would
/// look up type metadata, which takes several times as long as the lock.
public struct Guarded<State>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<State>
    @usableFromInline let handover = Atomic<Bool>(false)

    /// Guards `state`.
    @inlinable public init(_ state: consuming sending State) {
        mutex = Mutex(state)
    }

    /// Runs `body` while holding the lock, which is not reentrant.
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
    /// Acquires the lock; the same thread must then call ``unlock()``. For generic code on hot paths: closures would look up the type of
    /// their result, which takes as long as the lock. These underscored members of `Mutex` are used nowhere else.
    @inlinable public borrowing func lock() {
        mutex._unsafeLock()
        _ = handover.load(ordering: .acquiring)
    }

    /// Releases the lock.
    @inlinable public borrowing func unlock() {
        handover.store(true, ordering: .releasing)
        mutex._unsafeUnlock()
    }
}

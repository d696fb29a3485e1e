#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A counting semaphore whose waits end by the monotonic clock.
///
/// `DispatchSemaphore` waits on Linux by the wall clock (`sem_timedwait(3)`): if that is set back by an hour, as may happen just after boot,
/// each wait with a limit takes an hour longer (seen with Swift 6.3.1).
///
/// `@unchecked Sendable` is sound: the count is used with the lock only, and the two pointers never change.
package final class MonotonicSemaphore: @unchecked Sendable {
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let isOpen = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var count: Int

    package init(count: Int = 0) {
        self.count = count
        pthread_mutex_init(lock, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(isOpen, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(isOpen)
        pthread_mutex_destroy(lock)
        isOpen.deallocate()
        lock.deallocate()
    }

    /// Increments the count, and wakes one waiting thread.
    package func signal() {
        pthread_mutex_lock(lock)
        count += 1
        pthread_cond_signal(isOpen)
        pthread_mutex_unlock(lock)
    }

    /// Blocks the thread until the count is positive, and decrements it. Returns false if `end`, in nanoseconds of the monotonic clock,
    /// comes first.
    package func wait(until end: Int64) -> Bool {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        var time = timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
        while count == 0 { if pthread_cond_timedwait(isOpen, lock, &time) != 0 { return false } }
        count -= 1
        return true
    }
}

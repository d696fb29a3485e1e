import CStoredValues

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// Starts a thread that runs `body` and ends with it. `name`, of at most 15 bytes, is what `ps -L` and debuggers show.
///
/// The program's signals are handled on other threads; only the thread's own crashes are told on it.
package func startThread(named name: String, _ body: @escaping @Sendable () -> Void) throws(SystemErrorCode) {
    // A new thread inherits the blocked signals. Blocking them in it would leave an instant in which one can come.
    var blocked = sigset_t()
    var before = sigset_t()
    sigfillset(&blocked)
    for signal in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGSYS] { sigdelset(&blocked, signal) }
    pthread_sigmask(SIG_SETMASK, &blocked, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // musl gives 128 KiB unless told otherwise, too little for code that recurses. What is not touched takes no memory.
    pthread_attr_setstacksize(&attributes, 8 << 20)

    let start = Unmanaged.passRetained(ThreadStart(name: name, body: body))
    let code = withUnsafeTemporaryAllocation(of: pthread_t.self, capacity: 1) { thread in
        // Never nil: the allocation has a place for one.
        pthread_create(thread.baseAddress!, &attributes, runThread, start.toOpaque())
    }
    guard code == 0 else {
        start.release()
        throw SystemErrorCode(rawValue: code)
    }
}

private final class ThreadStart: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}

private func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let start = Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue()
    nameThread(start.name)
    start.body()
    return nil
}

/// Names the calling thread, if there is a /proc. (Swift does not see pthread_setname_np.)
private func nameThread(_ name: String) {
    let descriptor = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    _ = write(descriptor, name, name.utf8.count)
    close(descriptor)
}

/// A number that tells the running threads apart.
package func currentThreadNumber() -> UInt {
    UInt(pthread_self())
}

/// Lets other threads run.
package func yieldThread() { sched_yield() }

/// Puts the calling thread to sleep. May wake early, on a signal.
package func sleepThread(nanoseconds: Int) {
    var span = timespec(tv_sec: time_t(nanoseconds / 1_000_000_000), tv_nsec: nanoseconds % 1_000_000_000)
    nanosleep(&span, nil)
}

import CStoredValues

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// An `errno` value.
package struct SystemErrorCode: Error, Hashable, Sendable {
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
}

/// Repeats an interrupted call, and throws `errno` if it returns -1. Two overloads, because a generic function of another module is slow.
@discardableResult
package func system(_ call: () -> Int32) throws(SystemErrorCode) -> Int32 { try repeated(call) }
@discardableResult
package func system(_ call: () -> Int) throws(SystemErrorCode) -> Int { try repeated(call) }

private func repeated<Number: FixedWidthInteger>(_ call: () -> Number) throws(SystemErrorCode) -> Number {
    while true {
        let result = call()
        if result != -1 { return result }
        let code = errno
        if code != EINTR { throw SystemErrorCode(rawValue: code) }
    }
}

extension SystemErrorCode {
    /// Says that no thread could be started because of this, and what to do.
    package var withoutThread: String {
        "no thread could be started (errno \(rawValue)): end other programs, or raise the limit (ulimit -u, a container's pids.max)"
    }
}

/// `O_PATH` of open(2), which is unavailable in Swift: the file itself is not opened.
package let openPathOnly: Int32 = 0o10_000_000

/// Throws unless `count` more files can be opened. For C libraries that end the process if they cannot open one; another thread may still
/// take the descriptors before the library does.
package func requireDescriptors(_ count: Int) throws(SystemErrorCode) {
    var opened: [Int32] = []
    defer { for descriptor in opened { close(descriptor) } }
    opened.append(try system { open("/", openPathOnly | O_CLOEXEC) })  // which may be unreadable
    while opened.count < count { opened.append(try system { fcntl(opened[0], F_DUPFD_CLOEXEC, 0) }) }
}

/// Ends the process by this signal, even if it is blocked or ignored: a shell script that runs the program then ends too, as with Ctrl-C.
package func endProcess(by number: Int32) -> Never {
    signal(number, SIG_DFL)
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, number)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    raise(number)
    exit(128 + number)
}

/// Overwrites memory that held a secret. `explicit_bzero` is not removed by the optimiser (bzero(3)).
package func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    explicit_bzero(start, bytes.count)
}

/// Nanoseconds since the machine started, the same for all its processes.
package func monotonicNanoseconds() -> Int64 { nanoseconds(CLOCK_MONOTONIC) }

/// The same, including the time in which the machine was suspended.
package func bootNanoseconds() -> Int64 { nanoseconds(CLOCK_BOOTTIME) }

private func nanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// The value of an environment variable, or nil if it is not set. A program that runs with more rights than its user (setuid,
/// setgid, file capabilities) sees none: it must not use its rights as the environment says.
package func environmentVariable(_ name: String) throws(VariableNotUTF8) -> String? {
    guard let value = stored_values_getenv(name) else { return nil }
    guard let text = String(validatingCString: value) else { throw VariableNotUTF8() }
    return text
}

/// All environment variables whose names begin with `prefix`, by their names; the text of one that is not UTF-8 is nil. As with
/// ``environmentVariable(_:)``, there may be none. No other thread may set one meanwhile.
package func environmentVariables(withPrefix prefix: String) -> [String: String?] {
    var found: [String: String?] = [:]
    guard let list = stored_values_environment() else { return found }
    for position in 0... {
        guard let entry = list[position] else { break }
        let bytes = UnsafeRawBufferPointer(start: entry, count: strlen(entry))
        guard let end = bytes.firstIndex(of: UInt8(ascii: "=")), let name = String(validating: bytes[..<end], as: UTF8.self),
            name.after(prefix: prefix) != nil, found[name] == nil
        else { continue }
        found.updateValue(String(validating: bytes[(end + 1)...], as: UTF8.self), forKey: name)
    }
    return found
}

/// An environment variable that is not UTF-8. It cannot be used; if repaired, it would name another path.
package struct VariableNotUTF8: Error {}

/// The file name of the program, without its folder.
package func executableName() -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
        guard let start = buffer.baseAddress else { return "unnamed" }
        let count = readlink("/proc/self/exe", start, buffer.count)
        guard count > 0 else { return "unnamed" }
        var name = buffer[..<count].map(UInt8.init(bitPattern:)).split(separator: UInt8(ascii: "/")).last ?? []
        // The system adds this if the file was replaced since the start (proc(5)).
        let mark = " (deleted)".utf8
        if name.reversed().starts(with: mark.reversed()) { name.removeLast(mark.count) }
        // Other bytes are escaped if it is not UTF-8, so that two such programs are distinguished.
        return String(validating: name, as: UTF8.self)
            ?? name.map { $0 < 0x80 ? String(Unicode.Scalar($0)) : "%" + String($0, radix: 16, uppercase: true) }.joined()
    }
}

/// Runs `body` when the process ends by `exit` or the end of `main`. Call it once for each `body`.
package func atEndOfProcess(_ body: @escaping @convention(c) () -> Void) { atexit(body) }

/// Starts a thread that runs `body`, and ends with it. `ps -L` and debuggers show `name`, of at most 15 bytes.
///
/// The program's signals are handled on other threads; only the thread's own crashes are delivered to it.
package func startThread(named name: String, _ body: @escaping @Sendable () -> Void) throws(SystemErrorCode) {
    // A new thread inherits the signal mask. Blocking signals inside it would leave a moment in which one can arrive.
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
    // musl uses 128 KiB by default, too little for recursive code. Untouched pages take no memory.
    pthread_attr_setstacksize(&attributes, 8 << 20)

    let start = Unmanaged.passRetained(ThreadStart(name: name, body: body))
    let code = withUnsafeTemporaryAllocation(of: pthread_t.self, capacity: 1) { thread in
        // Never nil: the allocation has room for one.
        pthread_create(thread.baseAddress!, &attributes, { $0.flatMap(runThread) }, start.toOpaque())
    }
    guard code == 0 else {
        start.release()
        throw SystemErrorCode(rawValue: code)
    }
}

private final class ThreadStart: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) { (self.name, self.body) = (name, body) }
}

private func runThread(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    let start = Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue()
    // Swift does not see pthread_setname_np. There may be no /proc.
    let descriptor = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    if descriptor >= 0 {
        _ = write(descriptor, start.name, start.name.utf8.count)
        close(descriptor)
    }
    start.body()
    return nil
}

package func yieldThread() { sched_yield() }

/// Puts the calling thread to sleep. May wake early, on a signal.
package func sleepThread(nanoseconds: Int) {
    var span = timespec(tv_sec: time_t(nanoseconds / 1_000_000_000), tv_nsec: nanoseconds % 1_000_000_000)
    nanosleep(&span, nil)
}

import Foundation
import StoredValuesSupport

/// A process that was started and is read from line by line. All calls block the thread; `TestProcess` is for tasks.
///
/// Not Foundation's `Process`: that one tells neither when a process is stopped nor reaps it at once.
final class ChildProcess: Sendable {
    /// How a process ended.
    enum End: Equatable {
        case exit(Int32)
        case signal(Int32)
    }

    private struct Output {
        /// What came after the last whole line.
        var rest: [UInt8] = []
        var lines: [String] = []
        var isAtEnd = false
    }

    let name: String
    private let pid: pid_t
    private let socket: Int32
    private let received = Guarded(Output())
    private let life = Life()

    private final class Life: Sendable {
        /// Once it is known, the process is reaped and its number may be another's.
        let end = Guarded<End?>(nil)
    }

    /// Starts `command`, a path and its arguments. It is the head of a process group of its own, so that all that it
    /// starts is ended with it, and that it gets SIGHUP and SIGCONT should the tests die while it is stopped (setpgid(2)).
    init(_ command: [String], environment: [String: String]) throws {
        name = command.joined(separator: " ")
        (pid, socket) = try spawn(command, environment: environment)
        // At once: swift-testing waits for its exit tests by the first child that has ended, whosever that is, and goes on when
        // that one is reaped (6.3.1, WaitFor.swift).
        Thread.detachNewThread { [pid, life] in
            var information = siginfo_t()
            while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
            life.end.withLock { end in
                guard end == nil else { return }
                _ = Foundation.kill(-pid, SIGKILL)  // what it has started, while the number is still theirs
                end = try? Self.reap(pid)
            }
        }
    }

    deinit {
        kill()
        _ = try? waitForEnd(within: hangLimit)
        close(socket)
    }

    // MARK: Reading and writing

    /// The next line that it prints; nil when its output is at an end.
    func line(within limit: Duration) throws -> String? {
        let end = ContinuousClock.now + limit
        while true {
            let (line, isAtEnd) = received.withLock { ($0.lines.isEmpty ? nil : $0.lines.removeFirst(), $0.isAtEnd) }
            if line != nil || isAtEnd { return line }
            try read(until: end, limit)
        }
    }

    /// The same for asynchronous tests, whose threads it does not block.
    func line() async throws -> String? { try await offPool { Result { try self.line(within: hangLimit) } }.get() }

    /// All further lines up to its end.
    func lines(within limit: Duration) throws -> [String] {
        let end = ContinuousClock.now + limit
        var lines: [String] = []
        while let line = try line(within: end - .now) { lines.append(line) }
        return lines
    }

    /// Waits for output and splits it into lines.
    private func read(until end: ContinuousClock.Instant, _ limit: Duration) throws {
        var event = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        let wait = max(.zero, end - .now)
        let count = poll(&event, 1, Int32(wait / .milliseconds(1)))
        guard count != 0 else { throw NeverHappened(what: "\"\(name)\" prints a line or ends", limit: limit) }
        guard count > 0 else { return }  // interrupted
        let bytes = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
            count = max(0, Foundation.read(socket, buffer.baseAddress, buffer.count))
        }
        received.withLock { received in
            received.isAtEnd = bytes.isEmpty
            var parts = (received.rest + bytes).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            received.rest = Array(parts.removeLast())
            received.lines += parts.map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// Sends a line to its standard input.
    func send(_ line: String) throws {
        var rest = Array("\(line)\n".utf8)[...]
        while !rest.isEmpty {
            // Not write(2), which would end the tests with SIGPIPE when the process is gone.
            let count = rest.withUnsafeBytes { Foundation.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw SystemFailure("send to \"\(name)\"", errno) }
            rest = rest.dropFirst(count)
        }
    }

    // MARK: Its life

    /// Whether it is known that it has ended, which does not wait.
    var hasEnded: Bool { life.end.withLock { $0 != nil } }

    func signal(_ signal: Int32) {
        life.end.withLock { end in
            if end == nil { _ = Foundation.kill(pid, signal) }
        }
    }

    /// Kills it and all that it started.
    func kill() {
        life.end.withLock { end in
            if end == nil { _ = Foundation.kill(-pid, SIGKILL) }
        }
    }

    /// Stops it where it is, and returns when it stands still.
    func stop() throws {
        signal(SIGSTOP)
        var status: Int32 = 0
        while waitpid(pid, &status, WUNTRACED) == -1 {
            guard errno == EINTR else { throw SystemFailure("wait for \"\(name)\" to stop", errno) }
        }
        guard status & 0xff == 0x7f else {
            life.end.withLock { $0 = Self.end(of: status) }
            throw SystemFailure("stop \"\(name)\", which has ended", ESRCH)
        }
    }

    /// Reads its output to the end and returns how it ended; no zombie is left.
    func waitForEnd(within limit: Duration) throws -> End {
        let deadline = ContinuousClock.now + limit
        while !received.withLock({ $0.isAtEnd }) { try read(until: deadline, limit) }
        return try life.end.withLock { end in
            if let end { return end }
            let known = try Self.reap(pid)
            end = known
            return known
        }
    }

    /// Waits for the process's end, and gives its number back.
    private static func reap(_ pid: pid_t) throws -> End {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) == -1 {
            guard errno == EINTR else { throw SystemFailure("wait for process \(pid)", errno) }
        }
        return end(of: status)
    }

    /// As WIFEXITED and its kin read it, which are macros and unknown to Swift (wait(2)).
    private static func end(of status: Int32) -> End {
        status & 0x7f == 0 ? .exit(status >> 8 & 0xff) : .signal(status & 0x7f)
    }
}

/// A system call of the tests themselves that failed.
struct SystemFailure: Error, CustomStringConvertible {
    let description: String

    init(_ what: String, _ code: Int32) {
        description = "could not \(what): \(String(cString: strerror(code)))"
    }
}

/// Runs `start`, which starts a process, while no other one is being started.
///
/// A `Process` closes in its child what was open a moment before. A pipe or socket that another one makes meanwhile stays
/// open there, and its end does not show before that child ends, too (seen: the output of a `gdbus`, in a bus that was
/// started just then; the test hung). Exit tests are started by others: they may delay such an end by their own.
func startingAlone<Result>(_ start: () throws -> Result) rethrows -> Result {
    starting.lock()
    defer { starting.unlock() }
    return try start()
}

private let starting = Guarded(())

extension Process {
    /// Runs while no other process is being started.
    func runAlone() throws {
        try startingAlone {
            // `run()` reads the list of open files with readdir(3), whose buffer holds 1,365 of them, and copies more than an entry
            // has: of the last entry in a full buffer, what lies behind the buffer (seen: signal 11 in CI, once in three runs).
            let count = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            guard count < 1_300 else { throw TooManyOpenFiles(count: count) }
            try run()
        }
    }

    private struct TooManyOpenFiles: Error {
        let count: Int
    }
}

extension Pipe {
    /// A pipe whose ends no child gets but the one that it is given to.
    static func forOneChild() -> Pipe {
        startingAlone {
            let pipe = Pipe()
            for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
                _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
            }
            return pipe
        }
    }
}

/// Starts `command`, a path and its arguments, as the head of a new process group. Returns its number, and the other end of
/// the socket that is its standard input and output. It shares our standard error.
func spawn(_ command: [String], environment: [String: String]) throws -> (pid: pid_t, socket: Int32) {
    var ends: [Int32] = [0, 0]
    // Closed in every other child of ours; pipe2(2), which could do that too, is not to be had in Swift.
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
        throw SystemFailure("make a socket", errno)
    }
    defer { close(ends[1]) }

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Dispatch blocks signals on its threads, and a child would inherit that.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))

    let arguments = command.map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var pid = pid_t()
    let error = startingAlone { posix_spawn(&pid, command[0], &actions, &attributes, arguments, variables) }
    guard error == 0 else {
        close(ends[0])
        throw SystemFailure("start \"\(command[0])\"", error)
    }
    return (pid, ends[0])
}

/// What ends programs that do not read their input, such as servers, with the tests, however those end.
enum Leash {
    /// A launcher for `TestProcesses.start`. It is replaced by what it runs, which has its process number and so gets its signals;
    /// what that says of errors is added to the file at `log`.
    ///
    /// Beside the program a shell waits in its process group for the end of the input, which comes when the tests are gone, and
    /// then kills the group.
    static func launcher(log: String) -> [String] {
        let script = #"""
            exec 3<&0 2>>"$0"
            (while read -r line <&3; do :; done; kill -KILL 0) >/dev/null &
            exec "$@" </dev/null 3<&-
            """#
        return ["/bin/sh", "-c", script, log]
    }

    /// The end of the file at `log`, for an error to show.
    static func tail(ofLog log: String) -> String {
        let text = (try? contents(ofFile: log)) ?? ""
        return text.split(separator: "\n").suffix(12).joined(separator: "\n")
    }
}

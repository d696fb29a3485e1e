import Foundation
import StoredValuesSupport

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

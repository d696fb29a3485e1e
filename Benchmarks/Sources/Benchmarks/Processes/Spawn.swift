import Glibc

/// A child process, which talks through its standard input and output.
struct Child {
    let pid: pid_t

    /// Starts `command`, a path and its arguments. The descriptors become its input and output, where they are given.
    init(_ command: [String], input: Int32? = nil, output: Int32? = nil) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input { posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) }
        if let output { posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) }
        let arguments = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var pid = pid_t()
        let error = posix_spawn(&pid, command[0], &actions, nil, arguments, environ)
        guard error == 0 else { throw Failure(description: "\(command[0]): \(String(cString: strerror(error)))") }
        self.pid = pid
    }

    /// Waits for its end; throws unless that was a success.
    func wait() throws {
        var status: Int32 = 0
        _ = try check(waitpid(pid, &status, 0), "waitpid")
        guard status == 0 else { throw Failure(description: "a child process ended with status \(status)") }
    }
}

/// A child that answers each line with a line. It ends when its input does, with this object.
final class Conversation: Sendable {
    private let socket: Int32
    private let pid: pid_t

    init(_ command: [String]) throws {
        var ends: [Int32] = [0, 0]
        _ = try check(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends), "socketpair")
        defer { close(ends[1]) }
        socket = ends[0]
        pid = try Child(command, input: ends[1], output: ends[1]).pid
    }

    deinit {
        close(socket)
        waitpid(pid, nil, 0)
    }

    func tell(_ line: String) throws {
        let bytes = Array("\(line)\n".utf8)
        _ = try check(write(socket, bytes, bytes.count), "write")
    }

    func ask(_ line: String) throws -> String {
        try tell(line)
        return try hear()
    }

    /// The next line that it says.
    func hear() throws -> String {
        var line: [UInt8] = []
        while line.last != UInt8(ascii: "\n") {
            var byte: UInt8 = 0
            guard try check(read(socket, &byte, 1), "read") == 1 else { throw Failure(description: "a child process is gone") }
            line.append(byte)
        }
        return String(decoding: line.dropLast(), as: UTF8.self)
    }
}

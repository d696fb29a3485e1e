import StoredValues
import StoredValuesSupport

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// All system calls of the tool.
package enum System {
    package static let standardInput = STDIN_FILENO
    package static let standardOutput = STDOUT_FILENO
    package static let standardError = STDERR_FILENO

    /// The value of an environment variable; nil if it is not set. An empty one is not set either, unless it `mayBeEmpty`.
    package static func environment(_ name: String, mayBeEmpty: Bool = false) throws(Failure) -> String? {
        do {
            return try environmentVariable(name).flatMap { $0.isEmpty && !mayBeEmpty ? nil : $0 }
        } catch {
            throw Failure(.misconfigured, "The environment variable \(name) is not UTF-8. Set it to another value.")
        }
    }

    package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// The number of columns of the terminal, if known.
    package static func width(_ descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// All of the standard input.
    package static func readStandardInput() throws(Failure) -> [UInt8] { try readAll(standardInput, "the standard input") }

    /// All of a file, which may be a pipe.
    package static func readFile(_ path: String) throws(Failure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(.notSaved, "Could not read \"\(path)\": \(problem). Check that it exists, and that you may read it.") }
        defer { close(descriptor) }
        return try readAll(descriptor, "\"\(path)\"")
    }

    private static func readAll(_ descriptor: Int32, _ name: String) throws(Failure) -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65536, alignment: 1)
        defer { buffer.deallocate() }
        var bytes: [UInt8] = []
        while true {
            let count: Int
            do { count = try StoredValuesSupport.system { read(descriptor, buffer.baseAddress, buffer.count) } } catch {
                throw Failure(.notSaved, "Could not read \(name): \(problem).")
            }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
    }

    /// Replaces the file at `path`, or the one that it links to, atomically; only this user can read a new one. To a pipe or a device the
    /// text is written directly.
    package static func writeFile(_ path: String, _ text: String) throws(Failure) {
        func attempt(_ isDone: Bool) throws(Failure) {
            guard !isDone else { return }
            throw Failure(.notSaved, "Could not write \"\(path)\": \(problem). Check that its folder exists, is writable and has free space.")
        }
        func fill(_ descriptor: Int32) throws(Failure) {
            var text = text
            let isWritten = text.withUTF8 { writeAll(descriptor, UnsafeRawBufferPointer($0)) }
            let error = errno, isClosed = close(descriptor) == 0
            if !isWritten { errno = error }
            try attempt(isWritten && isClosed)
        }
        var old = stat()
        let isThere = stat(path, &old) == 0
        try attempt(isThere || errno == ENOENT)  // such as EACCES for another user's link in a shared folder, which realpath would follow
        guard !isThere || old.st_mode & S_IFMT == S_IFREG else {
            let descriptor = open(path, O_WRONLY | O_CLOEXEC)
            try attempt(descriptor >= 0)
            return try fill(descriptor)
        }
        let target = realpath(path, nil)
        defer { free(target) }
        var template = Array("\(target.map { String(cString: $0) } ?? path).XXXXXX".utf8CString)
        let descriptor = template.withUnsafeMutableBufferPointer { buffer in buffer.baseAddress.map { mkstemp($0) } ?? -1 }
        try attempt(descriptor >= 0)
        do throws(Failure) {
            if isThere {
                _ = fchown(descriptor, old.st_uid, .max)  // only root may
                // Otherwise the mode would give another group the access of the old one.
                let hasGroup = fchown(descriptor, .max, old.st_gid) == 0
                try attempt(fchmod(descriptor, old.st_mode & (hasGroup ? 0o7777 : 0o700)) == 0)
            }
            try fill(descriptor)
            try attempt(rename(template, target.map { String(cString: $0) } ?? path) == 0)
        } catch {
            unlink(template)
            throw error
        }
    }

    /// Writes all of `bytes`; returns whether that succeeded.
    ///
    /// - Parameter needsReader: Whether the process ends by SIGPIPE if the pipe is closed.
    static func writeAll(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, needsReader: Bool = true) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE, needsReader {
                endProcess(by: SIGPIPE)  // as the system does by default
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }

    /// From now on, writing to a closed pipe is an error, and ``writeAll(_:_:needsReader:)`` decides whether the process ends.
    static func ignoreClosedPipes() { signal(SIGPIPE, SIG_IGN) }

    package static func end(_ status: ExitStatus) -> Never { exit(status.rawValue) }

    /// The system's text for the last error.
    package static var problem: String { String(cString: strerror(errno)) }

    /// Whether there is certainly no such file; where a folder cannot be searched, that is not known.
    package static func isMissing(_ path: String) -> Bool { access(path, F_OK) != 0 && errno == ENOENT }

    package static func mayWrite(_ path: String) -> Bool { access(path, W_OK) == 0 }

    /// A new folder for only this user, in the folder for temporary files.
    package static func makeTemporaryFolder() throws(Failure) -> String {
        let place = try environment("TMPDIR") ?? "/tmp"
        var template = Array("\(place)/stored-values-XXXXXX".utf8CString)
        let path = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        guard let path else { throw Failure(.notSaved, "Could not make a folder in \"\(place)\": \(problem). Set TMPDIR to another folder.") }
        return path
    }

    /// Runs a shell command with `argument` as its last word, in single quotes, where nothing but the closing quote is special. Only the
    /// command is interrupted by the terminal's keys (system(3)). Returns its exit status, 128 plus the signal
    /// that ended it, or 127 if there is no shell.
    package static func shell(_ command: String, _ argument: String) -> Int32 {
        signal(SIGPIPE, SIG_DFL)  // an ignored signal would stay ignored in the command
        defer { ignoreClosedPipes() }
        let status = system("\(command) '\(argument.replacing("'", by: "'\\''"))'")
        guard status != -1 else { return 127 }
        return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
    }
}

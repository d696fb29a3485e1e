import Glibc

// What this process has to do with the one that started it.

/// How the process ends when not by a signal or by returning.
enum ExitStatus: Int32 {
    case failed = 1
    case misused = 64
    case inputClosed = 65
}

func end(_ status: ExitStatus) -> Never {
    _exit(status.rawValue)
}

/// Prints a line, which the reader has when this returns: nothing is buffered here.
func say(_ line: String) {
    var rest = Array("\(line)\n".utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { end(.failed) }
    }
}

/// Waits for a line on the standard input.
func hear() -> String {
    guard let line = readLine() else { end(.inputClosed) }
    return line
}

/// Lets this process have so much of `resource`, or with nil as much as it may. Returns what it could have before; nil if it is refused.
func setLimit(of resource: __rlimit_resource, to amount: UInt?) -> UInt? {
    let resource = __rlimit_resource_t(resource.rawValue)
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return nil }
    let before = UInt(limit.rlim_cur)
    limit.rlim_cur = amount.map { rlim_t($0) } ?? limit.rlim_max
    return setrlimit(resource, &limit) == 0 ? before : nil
}

/// Ends the process when its standard input is closed, which also happens when the process that started it dies.
func endWithInput() {
    var thread = pthread_t()
    let error = pthread_create(
        &thread, nil,
        { _ in
            // No event is asked for: only the end is told then, and what was sent stays for whoever reads it.
            var input = pollfd(fd: STDIN_FILENO, events: 0, revents: 0)
            while poll(&input, 1, -1) < 1 {}
            end(.inputClosed)
        }, nil)
    guard error == 0 else { end(.failed) }
}

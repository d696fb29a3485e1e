import Foundation
import StoredValuesSupport

/// A server on this machine that answers what a test wants, which need not be what etcd answers, in the clear.
final class WrongEtcd: Sendable {
    /// What is sent for a request. Then the connection is closed.
    struct Answer: Sendable {
        var bytes: [UInt8]
        /// Whether the connection stays open until the server goes, as a watch's does.
        var staysOpen = false

        /// A whole answer of HTTP.
        init(_ body: String, status: String = "200 OK", headers: [String] = []) {
            let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)", "Connection: close"] + headers
            bytes = Array("\(lines.joined(separator: "\r\n"))\r\n\r\n\(body)".utf8)
        }

        /// These bytes.
        static func raw(_ text: String, _ bytes: [UInt8] = [], staysOpen: Bool = false) -> Answer {
            var answer = Answer("")
            (answer.bytes, answer.staysOpen) = (Array(text.utf8) + bytes, staysOpen)
            return answer
        }

        /// The beginning of an answer whose end is the connection's.
        static func stream(_ body: String, staysOpen: Bool) -> Answer {
            raw("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n\(body)", staysOpen: staysOpen)
        }
    }

    private let port: LoopbackPort
    private let listener: Int32
    private let state: State

    private final class State: Sendable {
        let answer: @Sendable (String, [UInt8]) -> Answer
        let paths = Guarded<[String]>([])
        let open = Guarded<[Int32]>([])

        init(_ answer: @escaping @Sendable (String, [UInt8]) -> Answer) { self.answer = answer }
    }

    var endpoint: String { "http://127.0.0.1:\(port.number)" }
    /// What was asked for so far: the paths of the requests.
    var paths: [String] { state.paths.withLock { $0 } }

    /// A server that answers a request for a path with `answer`, off the threads of tasks.
    convenience init(_ answer: @escaping @Sendable (String) -> Answer) throws { try self.init { path, _ in answer(path) } }

    /// The same for an answer that depends on all bytes of the request.
    init(_ answer: @escaping @Sendable (String, [UInt8]) -> Answer) throws {
        port = try LoopbackPort()
        listener = try port.listen()
        // Who was waiting to be accepted may have gone again: then it must not wait for the next one, with a lock that all need.
        _ = fcntl(listener, F_SETFL, O_NONBLOCK)
        state = State(answer)
        Thread.detachNewThread { [listener, state] in
            while let connection = Self.connection(of: listener) { Thread.detachNewThread { Self.serve(connection, state) } }
            close(listener)  // only here, or its number could be another's while this thread still uses it
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))  // ends the thread's loop
        for connection in state.open.withLock({ $0 }) { close(connection) }
    }

    /// The next connection; nil when nobody listens any more. No child of ours gets it, which would keep it open.
    private static func connection(of listener: Int32) -> Int32? {
        while true {
            var event = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            while poll(&event, 1, -1) < 0, errno == EINTR {}
            let (connection, error) = startingAlone { () -> (Int32, Int32) in
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return (connection, errno) }
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                return (connection, 0)
            }
            if connection >= 0 { return connection }
            if error == EINVAL { return nil }  // it was shut down; nothing else lasts
        }
    }

    private static func serve(_ connection: Int32, _ state: State) {
        guard let (path, request) = request(connection) else {
            close(connection)
            return
        }
        state.paths.withLock { $0.append(path) }
        let answer = state.answer(path, request)
        var rest = answer.bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        guard !answer.staysOpen else { return state.open.withLock { $0.append(connection) } }
        shutdown(connection, Int32(SHUT_WR))
        // What is still sent is read, or the kernel would take the answer back.
        var bytes = [UInt8](repeating: 0, count: 4096)
        while recv(connection, &bytes, bytes.count, 0) > 0 {}
        close(connection)
    }

    /// Reads a request to its end, and returns its path and all of it; nil if it has none.
    private static func request(_ connection: Int32) -> (path: String, bytes: [UInt8])? {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if let end = text.range(of: "\r\n\r\n") {
                let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
                let length = lines.first { $0.lowercased().hasPrefix("content-length: ") }.flatMap { Int($0.dropFirst(16)) } ?? 0
                let words = lines[0].split(separator: " ")
                if text[end.upperBound...].utf8.count >= length { return words.count > 1 ? (String(words[1]), bytes) : nil }
            }
            let count = recv(connection, &part, part.count, 0)
            guard count > 0 else { return nil }
            bytes += part[..<count]
        }
    }
}

/// What stands between a client and an etcd that is spoken with in the clear.
extension WrongEtcd {
    /// What becomes of a request.
    enum Fate: Sendable {
        case answered
        /// Etcd carries it out, and the answer is lost.
        case unanswered
        /// Etcd carries it out, and this error is answered.
        case refused(String)
        /// Etcd carries it out, and something else is answered.
        case answeredOtherwise(Answer)
        /// It never gets there.
        case lost
        /// It never gets there, and the connection stays open.
        case ignored
    }

    /// A server that hands requests on to `member`, each as `fate` says for its path, and the number of requests for that path
    /// before it. That may block.
    convenience init(before member: Etcd, _ fate: @escaping @Sendable (_ path: String, _ number: Int) -> Fate) throws {
        let counts = Guarded<[String: Int]>([:])
        let port = member.port
        try self.init { path, bytes in
            let number = counts.withLock { counts in
                defer { counts[path, default: 0] += 1 }
                return counts[path, default: 0]
            }
            switch fate(path, number) {
            case .answered: return .raw("", Self.answer(to: bytes, port: port))
            case .unanswered:
                _ = Self.answer(to: bytes, port: port)
                return .raw("")
            case .refused(let words):
                _ = Self.answer(to: bytes, port: port)
                return Answer(#"{"error":"\#(words)","code":8,"message":"\#(words)"}"#, status: "429 Too Many Requests")
            case .answeredOtherwise(let answer):
                _ = Self.answer(to: bytes, port: port)
                return answer
            case .lost: return .raw("")
            case .ignored: return .raw("", staysOpen: true)
            }
        }
    }

    /// All that the server at this port of this machine answers.
    private static func answer(to request: [UInt8], port: Int) -> [UInt8] {
        let connection = startingAlone { socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0) }
        defer { close(connection) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        guard result == 0, let line = request.firstIndex(of: UInt8(ascii: "\n")) else { return [] }
        // Its end is the connection's.
        var rest = request[...]
        rest.insert(contentsOf: Array("Connection: close\r\n".utf8), at: line + 1)
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return [] }
            rest = rest.dropFirst(count)
        }
        var answer: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = recv(connection, &part, part.count, 0), count > 0 { answer += part[..<count] }
        return answer
    }
}

import Foundation
import StoredValuesSupport

/// What stands between a client and an etcd that is spoken with in the clear.
extension WrongEtcd {
    /// What becomes of a request.
    enum Fate: Sendable {
        case answered
        /// Etcd carries it out, and the answer is lost.
        case unanswered
        /// Etcd carries it out, and this error is answered.
        case refused(String)
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
        var rest = (request[...line] + Array("Connection: close\r\n".utf8) + request[(line + 1)...])[...]
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

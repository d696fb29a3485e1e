import Foundation

/// A TCP port of 127.0.0.1 that no other test has, of this process or another, until this object goes.
///
/// It lies below those that the kernel gives to connections, so that none of these takes it while a server starts again. The UDP
/// port of the same number is what keeps other tests away: only one can have it, and the kernel gives it back.
final class LoopbackPort: Sendable {
    let number: Int
    private let reservation: Int32

    init() throws {
        for _ in 0..<1000 {
            let number = Int.random(in: 20000..<30000)
            guard let reservation = Self.bound(to: number, SOCK_DGRAM) else { continue }
            // Whether somebody listens there who knows nothing of reservations.
            guard let probe = Self.bound(to: number, SOCK_STREAM) else {
                close(reservation)
                continue
            }
            close(probe)
            self.number = number
            self.reservation = reservation
            return
        }
        throw SystemFailure("find a free port", EADDRINUSE)
    }

    deinit { close(reservation) }

    /// A socket that listens on it.
    func listen() throws -> Int32 {
        guard let socket = Self.bound(to: number, SOCK_STREAM), Foundation.listen(socket, 100) == 0 else {
            throw SystemFailure("listen on port \(number)", errno)
        }
        return socket
    }

    private static func bound(to port: Int, _ type: __socket_type) -> Int32? {
        let socket = socket(AF_INET, Int32(type.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return nil }
        if type == SOCK_STREAM {  // as servers do, or their own closed connections would be in the way for a minute
            var yes: Int32 = 1
            setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout.size(ofValue: yes)))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if result == 0 { return socket }
        close(socket)
        return nil
    }
}

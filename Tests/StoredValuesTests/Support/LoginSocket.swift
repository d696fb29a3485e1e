import Foundation

/// The socket by which the login hands its password to gnome-keyring.
enum LoginSocket {
    /// Asks the keyring behind the socket at `path` to unlock with `password`, and returns its answer; 0 is "done".
    static func unlock(at path: String, password: String) async throws -> UInt32 {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try converse(at: path, password: password) })
            }
        }
    }

    private static func converse(at path: String, password: String) throws -> UInt32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw POSIXError(.EIO) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let status = withUnsafeBytes(of: address) {
            connect(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
        guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

        // A byte that carries the credentials, then the length of all, "unlock", and the password with its length.
        let unlock: UInt32 = 1
        let message = bytes(UInt32(12 + password.utf8.count)) + bytes(unlock) + bytes(UInt32(password.utf8.count))
        try handle.write(contentsOf: [0] + message + Data(password.utf8))
        let reply = try handle.read(upToCount: 8) ?? Data()
        guard reply.count == 8 else { throw POSIXError(.EPROTO) }
        return reply.suffix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func bytes(_ number: UInt32) -> Data {
        withUnsafeBytes(of: number.bigEndian) { Data($0) }
    }
}

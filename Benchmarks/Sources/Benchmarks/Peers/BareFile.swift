import CAttributes
import Dispatch
import Glibc

/// A file that is replaced with as few system calls as that takes.
struct BareFile: Sendable {
    let folder: String
    let name: String

    var path: String { "\(folder)/\(name)" }

    /// open + write + close + rename; with `durably` also fsync of the file and of its folder. With `model` the new file is for
    /// those that the one there is for: whose it is, its mode and its access control list, which costs two calls where
    /// there is nothing to give on.
    func replace(with bytes: [UInt8], durably: Bool, like model: String? = nil) throws {
        let temporary = path + ".tmp"
        let access = try model.map(Self.access)
        let descriptor = try check(open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600), "open")
        if let access, access.st_mode & 0o7777 != 0o600 { _ = try check(fchmod(descriptor, access.st_mode & 0o7777), "fchmod") }
        if let access, access.st_uid != geteuid() { _ = try check(fchown(descriptor, access.st_uid, access.st_gid), "fchown") }
        var written = 0
        while written < bytes.count {
            written += try bytes.withUnsafeBytes { try check(write(descriptor, $0.baseAddress! + written, $0.count - written), "write") }
        }
        if durably { _ = try check(fsync(descriptor), "fsync") }
        close(descriptor)
        _ = try check(rename(temporary, path), "rename")
        guard durably else { return }
        let folder = try check(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), "open")
        _ = try check(fsync(folder), "fsync")
        close(folder)
    }

    /// ``replace(with:durably:like:)`` that leaves it to `closing` to free the old file, as ours does.
    func replace(with bytes: [UInt8], durably: Bool, like model: String? = nil, closingOn closing: BareClosing) throws {
        let old = try check(open(path, O_RDONLY | O_CLOEXEC), "open")
        try replace(with: bytes, durably: durably, like: model)
        closing.close(old)
    }

    /// Whose the file is and its mode. The benchmarks' files have no attributes; one that had some would need more calls.
    private static func access(at path: String) throws -> stat {
        var status = stat()
        _ = try check(lstat(path, &status), "lstat")
        guard try check(listxattr(path, nil, 0), "listxattr") == 0 else { throw Failure(description: "\(path) has attributes") }
        return status
    }

    func read() throws -> [UInt8] {
        let descriptor = try check(open(path, O_RDONLY | O_CLOEXEC), "open")
        defer { close(descriptor) }
        var status = stat()
        _ = try check(fstat(descriptor, &status), "fstat")
        return try [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
            count = try check(Glibc.read(descriptor, buffer.baseAddress, buffer.count), "read")
        }
    }
}

/// Closes files on a thread of its own; a few may wait.
final class BareClosing: Sendable {
    private let queue = DispatchQueue(label: "closing")
    private let places = DispatchSemaphore(value: 16)

    func close(_ descriptor: Int32) {
        places.wait()
        queue.async { [places] in
            Glibc.close(descriptor)
            places.signal()
        }
    }
}

/// Why a benchmark could not run.
struct Failure: Error, CustomStringConvertible {
    let description: String
}

/// What a system call returned, unless that is an error.
func check<Result: SignedInteger>(_ result: Result, _ call: String) throws -> Result {
    guard result >= 0 else { throw Failure(description: "\(call): \(String(cString: strerror(errno)))") }
    return result
}

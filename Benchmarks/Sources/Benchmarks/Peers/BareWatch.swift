import Glibc

/// inotify on the folder of a file, and nothing else.
final class BareWatch: Sendable {
    private let file: BareFile
    private let instance: Int32

    init(_ file: BareFile) throws {
        self.file = file
        instance = try check(inotify_init1(Int32(IN_CLOEXEC)), "inotify_init1")
        _ = try check(inotify_add_watch(instance, file.folder, UInt32(IN_MOVED_TO)), "inotify_add_watch")
    }

    deinit { close(instance) }

    /// Waits until the file is replaced, and reads it.
    func next() throws -> [UInt8] {
        try withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            _ = try check(read(instance, buffer.baseAddress, buffer.count), "read")
        }
        return try file.read()
    }
}

import CStoredValues
package import StoredValuesSupport

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// What a file is opened for; determines the flags. All are closed when the process runs another program.
package enum OpenPurpose: Sendable {
    /// Reading, following links, without blocking on a FIFO and without acquiring a controlling terminal.
    case reading
    /// Reading, without following a link in the last component.
    case readingWithoutLinks
    /// Writing or locking a file that must not exist yet; created with mode 0600.
    case creating
    /// Locking an existing file, without following a link.
    case locking
    /// Syncing a folder.
    case folder

    fileprivate var flags: Int32 {
        switch self {
        case .reading: O_RDONLY | O_NONBLOCK | O_NOCTTY
        case .readingWithoutLinks: O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW
        case .creating: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
        case .locking: O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        case .folder: O_RDONLY | O_DIRECTORY
        }
    }
}

package struct FileStatus: Equatable, Sendable {
    package var identity: FileIdentity
    package var kind: FileKind
    /// The permission bits only.
    package var mode: UInt32
    package var user: UInt32
    var group: UInt32
    var links: UInt64
}

package enum FileKind: String, Equatable, Sendable {
    case regular = "a regular file"
    case folder = "a folder"
    case link = "a symbolic link"
    case fifo = "a FIFO"
    case socket = "a socket"
    case device = "a device"
    case unknown = "something unknown"
}

/// The working folder; nil if it was removed, or its name is not UTF-8.
func workingFolder() -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX) + 1) { buffer in
        guard let start = buffer.baseAddress, getcwd(start, buffer.count) != nil else { return nil }
        return String(validatingCString: start).flatMap { $0.begins(with: "/") ? $0 : nil }
    }
}

package func effectiveUser() -> UInt32 { geteuid() }

/// The group that new files of this process belong to.
func effectiveGroup() -> UInt32 { getegid() }

// For frequent calls, `withCString` avoids the copy of an implicit conversion. First the calls that have the same names as methods below.
private func openFile(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
@discardableResult private func closeFile(_ descriptor: Int32) -> Int32 { close(descriptor) }
private func readFile(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int { read(file, buffer.baseAddress, buffer.count) }
private func writeFile(_ file: Int32, _ buffer: UnsafeRawBufferPointer) -> Int { write(file, buffer.baseAddress, buffer.count) }

// `F_OFD_GETLK` and `F_OFD_SETLK` of fcntl(2), which are unavailable in Swift. These locks are independent of `flock`.
private let getOpenFileLock: Int32 = 36
private let setOpenFileLock: Int32 = 37

private func bytes(_ range: Range<Int64>, _ kind: Int32) -> flock {
    flock(l_type: Int16(kind), l_whence: Int16(SEEK_SET), l_start: off_t(range.lowerBound), l_len: off_t(range.count), l_pid: 0)
}

/// Every system call of this package for files. Tests override them to record the calls or make them fail.
///
/// They retry interrupted calls (`EINTR`). `read` and `write` may be partial, as the system's are.
// Sound: it has no state, and the tests' subclasses lock theirs.
package class FileOperations: @unchecked Sendable {
    package static let posix = FileOperations()

    init() {}

    /// Whether these are the system's files, so that changes can be watched.
    package var canBeWatched: Bool { true }

    package func open(_ path: String, for purpose: OpenPurpose) throws(SystemErrorCode) -> Int32 {
        try system { path.withCString { openFile($0, purpose.flags | O_CLOEXEC, 0o600) } }
    }

    package func close(_ descriptor: Int32) {
        // Not repeated after EINTR: on Linux the descriptor is already closed, and may have been reused (close(2)).
        closeFile(descriptor)
    }

    package func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(SystemErrorCode) -> Int {
        try system { readFile(descriptor, buffer) }
    }

    package func write(_ descriptor: Int32, from buffer: UnsafeRawBufferPointer) throws(SystemErrorCode) -> Int {
        try system { writeFile(descriptor, buffer) }
    }

    package func synchronize(_ descriptor: Int32) throws(SystemErrorCode) { try system { fsync(descriptor) } }

    /// Throws the error of a write that the file system reports only when a file is closed: over NFS, a full disk or quota is an error of
    /// close(2), not of write(2). Elsewhere this cannot fail, and it never waits for the disk.
    package func flush(_ descriptor: Int32) throws(SystemErrorCode) {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0, closeFile(copy) != 0, errno != EINTR else { return }
        throw SystemErrorCode(rawValue: errno)
    }

    package func status(of descriptor: Int32) throws(SystemErrorCode) -> FileStatus {
        var result = stat()
        try system { fstat(descriptor, &result) }
        return FileStatus(result)
    }

    package func status(at path: String, followingLinks: Bool) throws(SystemErrorCode) -> FileStatus {
        var result = stat()
        try system { path.withCString { fstatat(AT_FDCWD, $0, &result, followingLinks ? 0 : AT_SYMLINK_NOFOLLOW) } }
        return FileStatus(result)
    }

    package func changeMode(of descriptor: Int32, to mode: UInt32) throws(SystemErrorCode) {
        try system { fchmod(descriptor, mode_t(mode)) }
    }

    /// Changes the group, and the user too unless `user` is nil.
    package func changeOwner(of descriptor: Int32, user: UInt32?, group: UInt32) throws(SystemErrorCode) {
        // The highest number means "unchanged" (chown(2)).
        try system { fchown(descriptor, user ?? .max, group) }
    }

    /// An exclusive advisory lock. Throws ``SystemErrorCode/wouldBlock`` if it is taken and `waiting` is false.
    package func lock(_ descriptor: Int32, waiting: Bool) throws(SystemErrorCode) {
        try system { flock(descriptor, waiting ? LOCK_EX : LOCK_EX | LOCK_NB) }
    }

    package func unlock(_ descriptor: Int32) { flock(descriptor, LOCK_UN) }

    /// Marks a byte of the file, which need not exist, for other processes to see, in place of the mark before; nil removes the mark, and
    /// so does closing the descriptor.
    package func mark(_ descriptor: Int32, at offset: Int64?) {
        for var mark in [bytes(0..<Int64.max, F_UNLCK)] + (offset.map { [bytes($0..<$0 + 1, F_RDLCK)] } ?? []) {
            _ = fcntl(descriptor, setOpenFileLock, &mark)
        }
    }

    /// A byte in `range` that another descriptor has marked, usually the first.
    package func othersMark(_ descriptor: Int32, in range: Range<Int64>) -> Int64? {
        var mark = bytes(range, F_WRLCK)
        guard !range.isEmpty, fcntl(descriptor, getOpenFileLock, &mark) == 0, Int32(mark.l_type) != F_UNLCK else { return nil }
        return Int64(mark.l_start)
    }

    package func rename(_ path: String, to newPath: String) throws(SystemErrorCode) {
        try system { path.withCString { old in newPath.withCString { renameat(AT_FDCWD, old, AT_FDCWD, $0) } } }
    }

    /// A second name for the file at `path` itself, without following a link. Never overwrites.
    package func link(_ path: String, to newPath: String) throws(SystemErrorCode) {
        try system { linkat(AT_FDCWD, path, AT_FDCWD, newPath, 0) }
    }

    package func unlink(_ path: String) throws(SystemErrorCode) { try system { unlinkat(AT_FDCWD, path, 0) } }

    package func makeFolder(_ path: String, mode: UInt32) throws(SystemErrorCode) {
        try system { mkdir(path, mode_t(mode)) }
    }

    /// The folder with the open files of this process, by their descriptors (proc(5)).
    private static let openFiles = Array("/proc/self/fd/".utf8)

    /// Whether something exists at `path`, and `path` is its real path. Also false if the system cannot tell.
    package func hasNoLinks(_ path: String) -> Bool {
        let descriptor = path.withCString { openFile($0, openPathOnly | O_CLOEXEC, 0) }
        guard descriptor >= 0 else { return false }
        defer { closeFile(descriptor) }
        // One byte more, to recognize a longer path. Room for the longest possible path would not fit on the stack.
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: path.utf8.count + 1) { place in
            guard let start = place.baseAddress else { return false }
            let link = Self.openFiles + Int(descriptor).digits + [0]  // an interpolation takes twice as long
            let count = link.withUnsafeBytes { $0.withMemoryRebound(to: CChar.self) { $0.baseAddress.map { readlink($0, start, place.count) } ?? 0 } }
            return path.withCString { count == place.count - 1 && memcmp($0, start, count) == 0 }
        }
    }

    /// The text of a symbolic link; ``SystemErrorCode/invalidArgument`` if `path` is not one.
    package func readLink(_ path: String) throws(SystemErrorCode) -> String {
        let capacity = Int(PATH_MAX) + 1
        // Most paths are not links, so heap memory is allocated only for those that are.
        let bytes = try withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer throws(SystemErrorCode) in
            guard let start = buffer.baseAddress else { return [] as [CChar] }
            let count = try system { path.withCString { readlink($0, start, capacity) } }
            return Array(buffer[..<count])
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw SystemErrorCode(rawValue: EILSEQ) }
        return text
    }

    /// The names of the attributes of the file at `path` itself (xattr(7)), without following a link.
    package func attributeNames(at path: String) throws(SystemErrorCode) -> [String] {
        let names = try attributeBytes { start, count in path.withCString { llistxattr($0, start, count) } }
        return names.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    package func attribute(_ name: String, at path: String) throws(SystemErrorCode) -> [UInt8] {
        try attributeBytes { start, count in path.withCString { lgetxattr($0, name, start, count) } }
    }

    /// Sets an attribute; nil removes it, and throws ``SystemErrorCode/noData`` if there was none.
    package func setAttribute(_ name: String, of descriptor: Int32, to value: [UInt8]?) throws(SystemErrorCode) {
        if let value {
            try system { fsetxattr(descriptor, name, value, value.count, 0) }
        } else {
            try system { name.withCString { fremovexattr(descriptor, $0) } }
        }
    }

    /// The bytes that `call` writes into its buffer. Usually there are none, or few, which need no heap memory.
    private func attributeBytes(_ call: (UnsafeMutablePointer<CChar>?, Int) -> Int) throws(SystemErrorCode) -> [UInt8] {
        func bytes(_ capacity: Int) throws(SystemErrorCode) -> [UInt8] {
            try withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer throws(SystemErrorCode) in
                let count = try system { call(buffer.baseAddress, capacity) }
                return buffer[..<count].map(UInt8.init(bitPattern:))
            }
        }
        do { return try bytes(1 << 10) } catch .outOfRange { return try bytes(1 << 16) }  // the maximum (xattr(7))
    }
}

extension FileStatus {
    fileprivate init(_ status: stat) {
        func nanoseconds(_ time: timespec) -> Int64 { Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec) }
        identity = FileIdentity(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size),
            modified: nanoseconds(status.st_mtim), changed: nanoseconds(status.st_ctim))
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            case S_IFLNK: .link
            case S_IFIFO: .fifo
            case S_IFSOCK: .socket
            case S_IFCHR, S_IFBLK: .device
            default: .unknown
            }
        mode = UInt32(status.st_mode) & 0o7777
        user = status.st_uid
        group = status.st_gid
        links = UInt64(status.st_nlink)
    }
}

extension SystemErrorCode {
    package static let accessDenied = SystemErrorCode(rawValue: EACCES)
    static let busy = SystemErrorCode(rawValue: EBUSY)
    static let crossDevice = SystemErrorCode(rawValue: EXDEV)
    package static let exists = SystemErrorCode(rawValue: EEXIST)
    static let fileTooLarge = SystemErrorCode(rawValue: EFBIG)
    static let invalidArgument = SystemErrorCode(rawValue: EINVAL)
    static let ioFailed = SystemErrorCode(rawValue: EIO)
    static let isFolder = SystemErrorCode(rawValue: EISDIR)
    static let nameTooLong = SystemErrorCode(rawValue: ENAMETOOLONG)
    package static let noDeviceOrPeer = SystemErrorCode(rawValue: ENXIO)
    static let noData = SystemErrorCode(rawValue: ENODATA)
    package static let noEntry = SystemErrorCode(rawValue: ENOENT)
    static let noMemory = SystemErrorCode(rawValue: ENOMEM)
    package static let noSpace = SystemErrorCode(rawValue: ENOSPC)
    package static let notFolder = SystemErrorCode(rawValue: ENOTDIR)
    static let notImplemented = SystemErrorCode(rawValue: ENOSYS)
    package static let notPermitted = SystemErrorCode(rawValue: EPERM)
    static let quotaExceeded = SystemErrorCode(rawValue: EDQUOT)
    static let notSupported = SystemErrorCode(rawValue: EOPNOTSUPP)
    static let outOfRange = SystemErrorCode(rawValue: ERANGE)
    package static let readOnly = SystemErrorCode(rawValue: EROFS)
    package static let linkCircle = SystemErrorCode(rawValue: ELOOP)
    package static let tooManyOpenFiles = SystemErrorCode(rawValue: EMFILE)
    package static let tooManyOpenFilesInSystem = SystemErrorCode(rawValue: ENFILE)
    static let tooManyNames = SystemErrorCode(rawValue: EMLINK)
    static let wouldBlock = SystemErrorCode(rawValue: EWOULDBLOCK)

    /// The system's error text. glibc stores it per thread since 2.32, and for known numbers it is constant.
    var systemText: String {
        strerror(rawValue).map { String(cString: $0) } ?? "error \(rawValue)"
    }
}

package import StoredValuesSupport

/// Every system call of this package for files. Tests record the calls or make them fail here.
///
/// Implementations retry interrupted calls (`EINTR`). `read` and `write` may be partial, as the system's are.
package protocol FileOperations: Sendable {
    /// Whether these are the system's files, so that changes can be watched.
    var canBeWatched: Bool { get }
    func open(_ path: String, for purpose: OpenPurpose) throws(SystemErrorCode) -> Int32
    func close(_ descriptor: Int32)
    func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(SystemErrorCode) -> Int
    func write(_ descriptor: Int32, from buffer: UnsafeRawBufferPointer) throws(SystemErrorCode) -> Int
    func synchronize(_ descriptor: Int32) throws(SystemErrorCode)
    func status(of descriptor: Int32) throws(SystemErrorCode) -> FileStatus
    func status(at path: String, followingLinks: Bool) throws(SystemErrorCode) -> FileStatus
    func changeMode(of descriptor: Int32, to mode: UInt32) throws(SystemErrorCode)
    /// Changes the group, and the user too unless `user` is nil.
    func changeOwner(of descriptor: Int32, user: UInt32?, group: UInt32) throws(SystemErrorCode)
    /// An exclusive advisory lock. Throws ``SystemErrorCode/wouldBlock`` if it is taken and `waiting` is false.
    func lock(_ descriptor: Int32, waiting: Bool) throws(SystemErrorCode)
    func unlock(_ descriptor: Int32)
    /// Marks a byte of the file, which need not exist, for other processes to see, in place of the mark before; nil removes the mark, and
    /// so does closing the descriptor.
    func mark(_ descriptor: Int32, at offset: Int64?)
    /// A byte in `range` that another descriptor has marked, usually the first.
    func othersMark(_ descriptor: Int32, in range: Range<Int64>) -> Int64?
    func rename(_ path: String, to newPath: String) throws(SystemErrorCode)
    /// A second name for the file at `path` itself, without following a link. Never overwrites.
    func link(_ path: String, to newPath: String) throws(SystemErrorCode)
    func unlink(_ path: String) throws(SystemErrorCode)
    func makeFolder(_ path: String, mode: UInt32) throws(SystemErrorCode)
    /// The text of a symbolic link; ``SystemErrorCode/invalidArgument`` if `path` is not one.
    func readLink(_ path: String) throws(SystemErrorCode) -> String
    /// The names of the attributes of the file at `path` itself (xattr(7)), without following a link.
    func attributeNames(at path: String) throws(SystemErrorCode) -> [String]
    func attribute(_ name: String, at path: String) throws(SystemErrorCode) -> [UInt8]
    /// Sets an attribute; nil removes it, and throws ``SystemErrorCode/noData`` if there was none.
    func setAttribute(_ name: String, of descriptor: Int32, to value: [UInt8]?) throws(SystemErrorCode)
}

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
}

/// The system's information about a file.
package struct FileStatus: Equatable, Sendable {
    package var identity: FileIdentity
    package var kind: FileKind
    /// The permission bits only.
    package var mode: UInt32
    package var user: UInt32
    var group: UInt32
    /// The number of hard links.
    var links: UInt64
}

/// The kinds of files that this package distinguishes.
package enum FileKind: String, Equatable, Sendable {
    case regular = "a regular file"
    case folder = "a folder"
    case link = "a symbolic link"
    case fifo = "a FIFO"
    case socket = "a socket"
    case device = "a device"
    case unknown = "something unknown"
}

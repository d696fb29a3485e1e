#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif
import StoredValuesSupport

/// The system calls of inotify(7). Tests count them or make them fail here.
protocol Inotify: Sendable {
    /// A new instance, which is closed when the process runs another program.
    func open() throws(SystemErrorCode) -> Int32
    func close(_ instance: Int32)
    /// Watches the folder at `path`, without following a link in the last component, and returns the watch's number. There is
    /// one watch per folder and instance, by whatever path: `adding` extends its events, otherwise they are replaced.
    func watch(_ path: String, for events: FolderEvents, adding: Bool, in instance: Int32) throws(SystemErrorCode) -> Int32
    /// Ends a watch. It is no error if it has already ended.
    func unwatch(_ watch: Int32, in instance: Int32)
    /// Waits for events and reads all available ones into `buffer`; returns the number of bytes.
    func read(_ instance: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(SystemErrorCode) -> Int
    /// The type of the file system at `path`, as named by mount(8); nil if the system does not say.
    func fileSystemType(at path: String) -> String?
}

/// The system's own inotify.
struct SystemInotify: Inotify {
    func open() throws(SystemErrorCode) -> Int32 {
        try system { inotify_init1(Int32(IN_CLOEXEC)) }
    }

    func close(_ instance: Int32) { POSIXFileOperations().close(instance) }

    func watch(_ path: String, for events: FolderEvents, adding: Bool, in instance: Int32) throws(SystemErrorCode) -> Int32 {
        // No events for a file that was deleted but is still open: it is no longer the one at its old name.
        let flags = UInt32(IN_ONLYDIR) | UInt32(IN_DONT_FOLLOW) | UInt32(IN_EXCL_UNLINK) | (adding ? UInt32(IN_MASK_ADD) : 0)
        return try system { inotify_add_watch(instance, path, events.rawValue | flags) }
    }

    func unwatch(_ watch: Int32, in instance: Int32) { inotify_rm_watch(instance, watch) }

    func read(_ instance: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(SystemErrorCode) -> Int {
        try POSIXFileOperations().read(instance, into: buffer)
    }

    func fileSystemType(at path: String) -> String? {
        // There may be no /proc. statfs(2), which says less, is unavailable in Swift.
        guard let table = try? DurableFile(path: "/proc/self/mountinfo").read() else { return nil }
        return MountTable(String(decoding: table.bytes, as: UTF8.self)).fileSystemType(at: path)
    }
}

/// The events of a folder.
struct FolderEvents: OptionSet, Hashable, Sendable {
    let rawValue: UInt32

    static let written = FolderEvents(rawValue: UInt32(IN_MODIFY))
    static let closedAfterWriting = FolderEvents(rawValue: UInt32(IN_CLOSE_WRITE))
    static let movedFrom = FolderEvents(rawValue: UInt32(IN_MOVED_FROM))
    static let movedTo = FolderEvents(rawValue: UInt32(IN_MOVED_TO))
    static let created = FolderEvents(rawValue: UInt32(IN_CREATE))
    static let deleted = FolderEvents(rawValue: UInt32(IN_DELETE))
    static let selfDeleted = FolderEvents(rawValue: UInt32(IN_DELETE_SELF))
    static let selfMoved = FolderEvents(rawValue: UInt32(IN_MOVE_SELF))
    static let unmounted = FolderEvents(rawValue: UInt32(IN_UNMOUNT))
    static let overflow = FolderEvents(rawValue: UInt32(IN_Q_OVERFLOW))
    static let watchEnded = FolderEvents(rawValue: UInt32(IN_IGNORED))

    /// The folder itself is gone, or no longer watched.
    static let folderItself: FolderEvents = [.selfDeleted, .selfMoved, .unmounted, .watchEnded]
    /// The name now refers to something else, or nothing.
    static let nameChanged: FolderEvents = [.created, .movedTo, .movedFrom, .deleted]
    /// All events of a file.
    static let file: FolderEvents = [.nameChanged, .written, .closedAfterWriting]
}

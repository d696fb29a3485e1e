import StoredValuesSupport

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// The system calls of inotify(7). Tests override them to count them or make them fail.
// Sound: it has no state, and the tests' subclass locks its own.
class Inotify: @unchecked Sendable {
    /// A new instance, which is closed when the process runs another program.
    func open() throws(SystemErrorCode) -> Int32 {
        try system { inotify_init1(Int32(IN_CLOEXEC)) }
    }

    func close(_ instance: Int32) { FileOperations.posix.close(instance) }

    /// Watches the folder at `path`, which is no link, and returns the watch's number. There is one watch per folder and instance, by
    /// whatever path: `adding` extends its events, otherwise they are replaced.
    func watch(_ path: String, for events: FolderEvents, adding: Bool, in instance: Int32) throws(SystemErrorCode) -> Int32 {
        // No events for a file that was deleted but is still open: it is no longer the one at its old name.
        let flags = UInt32(IN_ONLYDIR) | UInt32(IN_DONT_FOLLOW) | UInt32(IN_EXCL_UNLINK) | (adding ? UInt32(IN_MASK_ADD) : 0)
        return try system { inotify_add_watch(instance, path, events.rawValue | flags) }
    }

    /// Ends a watch. It is no error if it has already ended.
    func unwatch(_ watch: Int32, in instance: Int32) { inotify_rm_watch(instance, watch) }

    /// Waits for events and reads all available ones into `buffer`; returns the number of bytes.
    func read(_ instance: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(SystemErrorCode) -> Int {
        try FileOperations.posix.read(instance, into: buffer)
    }

    /// What is mounted at `path`, which contains no links, or nearest above it; nil if the system does not say. Throws only for lack of
    /// room. statfs(2), which says less, is unavailable in Swift.
    func mount(of path: String) throws(FileError) -> MountTable.Mount? {
        let table: FileContents?
        do { table = try DurableFile(path: "/proc/self/mountinfo").read() } catch {
            if error.isLackOfRoom { throw error }
            return nil
        }
        guard let table else { return nil }
        return MountTable.mount(of: path, in: String(decoding: table.bytes, as: UTF8.self))
    }
}

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
    static let file: FolderEvents = [.nameChanged, .written, .closedAfterWriting]
}

struct InotifyEvent: Equatable, Sendable {
    /// The number of the folder's watch; -1 for an overflow, which concerns all.
    var watch: Int32
    var events: FolderEvents
    /// The name inside the folder, as bytes, because names need not be UTF-8. Empty for the folder itself.
    var name: [UInt8] = []

    /// The events in a buffer: each is a watch, a mask, a cookie and a length of four bytes each, then that many bytes of name,
    /// padded with zeros (inotify(7)).
    static func all(in bytes: UnsafeRawBufferPointer) -> [InotifyEvent] {
        var events: [InotifyEvent] = []
        events.reserveCapacity(bytes.count / 32)  // most names have more than 16 bytes with their padding
        var start = 0
        while start + 16 <= bytes.count {
            func field<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int) -> Number {
                bytes.loadUnaligned(fromByteOffset: start + offset, as: Number.self)
            }
            let end = min(start + 16 + Int(field(12) as UInt32), bytes.count)
            let name = bytes[(start + 16)..<end].prefix { $0 != 0 }
            events.append(InotifyEvent(watch: field(0), events: FolderEvents(rawValue: field(4)), name: Array(name)))
            start = end
        }
        return events
    }
}

/// The mounted file systems (proc(5), `/proc/self/mountinfo`).
enum MountTable {
    /// The type of a file system, as named by mount(8), and whether it, or a part of it, is mounted at the path itself.
    typealias Mount = (type: String, isHere: Bool)

    /// What is mounted at `path`, which contains no links, or nearest above it, by the text of the table.
    static func mount(of path: String, in table: String) -> Mount? {
        // The table has a backslash and three octal digits for blanks and similar characters.
        let path = path.replacing("\\", by: "\\134").replacing(" ", by: "\\040").replacing("\t", by: "\\011").replacing("\n", by: "\\012")
        var best: (length: Int, mount: Mount)?
        for line in table.parts(separatedBy: "\n") {
            // 36 35 98:0 / /home/u rw,noatime shared:1 - nfs4 server:/export rw
            let fields = line.parts(separatedBy: " ")
            guard fields.count > 4, let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count else { continue }
            let point = fields[4], isHere = path.isIdentical(to: point)
            // Of several at one place, the later one hides the earlier.
            if isHere || point == "/" || path.after(prefix: point + "/") != nil, point.utf8.count >= best?.length ?? 0 {
                best = (point.utf8.count, (fields[dash + 1], isHere))
            }
        }
        return best?.mount
    }

    /// Whether a file system of this type can be changed without inotify noticing: by other machines, the host of a virtual
    /// machine, or the program that serves it.
    static func hidesChanges(_ type: String) -> Bool {
        type.after(prefix: "fuse.") == nil ? remoteTypes.contains(type) : !localThroughFUSE.contains(type)
    }

    private static let remoteTypes: Set<String> = [
        "9p", "afs", "beegfs", "ceph", "cifs", "coda", "fuse", "gfs2", "gpfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2",
        "orangefs", "prl_fs", "smb3", "smbfs", "vboxsf", "virtiofs", "vmhgfs",
    ]

    /// Served by a local program, with nothing else changing the underlying files. (Local NTFS disks are "fuseblk".)
    private static let localThroughFUSE: Set<String> = ["fuse.fuse-overlayfs", "fuse.gocryptfs", "fuse.encfs", "fuse.cryfs"]
}

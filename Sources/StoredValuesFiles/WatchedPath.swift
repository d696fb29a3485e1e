import StoredValuesSupport

/// The folders whose changes decide which file a path leads to, and the file's content. Busy ones such as `/tmp` are on many paths; of
/// a folder that is only passed through, only its own moves and deletions are requested.
struct WatchedPath: Equatable, Sendable {
    /// The file that the path leads to, or how far it can be followed.
    let target: String
    /// Parents before children. Watching them in this order misses no change: a folder that is swapped before its turn is
    /// watched in its new form, and a later swap is reported.
    private(set) var folders: [WatchedFolder] = []
    /// Whether the target's folder is among them.
    private(set) var reachesTarget = false
    private var isFileThere = false
    /// Why the path cannot be followed to its end.
    let obstacle: FileError?

    /// The current folders and links of the file's path.
    init(of file: DurableFile) {
        let links: [String]
        (target, links, obstacle) = ResolvedPath.follow(file.path, operations: file.operations)
        for link in links { note(link, .way, .nameChanged) }
        noteEnd(file.operations)
        folders.sort { $0.path.utf8.count < $1.path.utf8.count }
    }

    private static func kind(of path: String, _ operations: FileOperations) -> FileKind? {
        try? operations.status(at: path, followingLinks: false).kind
    }

    /// Whether the path still leads to the target, given that no folder or link on the way has changed: the target is not a link, and
    /// exists if and only if it did before.
    func isUnchanged(_ operations: FileOperations) -> Bool {
        guard reachesTarget else { return true }
        let kind = Self.kind(of: target, operations)
        return kind != .link && (kind != nil) == isFileThere
    }

    /// Adds the file's folder; if it is missing, the nearest existing parent.
    private mutating func noteEnd(_ operations: FileOperations) {
        guard target != "/" else { return }
        var (last, folder) = (target, ResolvedPath.folder(of: target))
        while folder != "/", Self.kind(of: folder, operations) != .folder { (last, folder) = (folder, ResolvedPath.folder(of: folder)) }
        let isSomethingThere = Self.kind(of: last, operations) != nil
        reachesTarget = last == target && obstacle == nil
        isFileThere = reachesTarget && isSomethingThere
        if reachesTarget {
            note(target, .file, .file)
        } else {
            note(last, .way, isSomethingThere ? .nameChanged : [.created, .movedTo])
        }
        // A folder that may be empty can be removed, which it does not report itself as long as any program has it open or
        // works in it (seen: a shell with this working folder).
        if !isSomethingThere, folder != "/" { note(folder, .passage, [.deleted, .movedTo]) }
    }

    /// Adds the folder of `path` with the events to request for the name, and the folders above it.
    private mutating func note(_ path: String, _ role: WatchedFolder.Role, _ events: FolderEvents) {
        var folder = ResolvedPath.folder(of: path)
        let index = index(of: folder)
        folders[index].insert(ResolvedPath.name(of: path), role, events)
        while folder != "/" {
            _ = self.index(of: folder)
            folder = ResolvedPath.folder(of: folder)
        }
    }

    private mutating func index(of folder: String) -> Int {
        if let index = folders.firstIndex(where: { $0.path.isIdentical(to: folder) }) { return index }
        folders.append(WatchedFolder(path: folder))
        return folders.count - 1
    }
}

/// A folder on the way of a watch: the events of it that the watch needs, and what they mean for it.
struct WatchedFolder: Equatable, Sendable {
    let path: String
    /// The events to request from the system.
    private(set) var events: FolderEvents = [.selfDeleted, .selfMoved]
    /// Names that are not in here concern other watches. A list, because there are few, and hashing one takes longer than comparing it.
    private var names: [Name] = []

    private struct Name: Equatable {
        let bytes: [UInt8]
        var role: Role
    }

    init(path: String) { self.path = path }

    /// The role of a name in the folder for the watch.
    enum Role {
        case file
        /// A link on the way to it, or the path of a missing folder.
        case way
        /// A folder on the way, whose own events say more than its parent's.
        case passage
    }

    /// Whether only the identity of this folder matters, and whether it is moved or deleted.
    var isOnlyPassedThrough: Bool { names.allSatisfy { $0.role == .passage } }

    mutating func insert(_ name: String, _ role: Role, _ events: FolderEvents) {
        merge([Name(bytes: Array(name.utf8), role: role)], events)
    }

    mutating func formUnion(_ other: WatchedFolder) { merge(other.names, other.events) }

    private mutating func merge(_ new: [Name], _ events: FolderEvents) {
        self.events.formUnion(events)
        for name in new {
            if let index = names.firstIndex(where: { $0.bytes == name.bytes }) {
                // A name with two roles, as when a folder has two paths, counts as on the way: then everything is checked.
                if names[index].role != name.role { names[index].role = .way }
            } else {
                names.append(name)
            }
        }
    }

    /// What `event` in the folder means for the watch; nil if nothing.
    func finding(for event: InotifyEvent) -> WatchFinding? {
        if !event.events.isDisjoint(with: .folderItself) { return (nil, mayLeadElsewhere: true) }
        let role = names.first { $0.bytes == event.name }?.role
        // Its folder may have gone with the file, and there may be another one by now. As long as a program has the file open, the folder
        // does not report its own end.
        if role == .file { return (FileWatch.Event(ofFile: event.events), mayLeadElsewhere: !event.events.isDisjoint(with: [.deleted, .movedFrom])) }
        guard role != nil, !event.events.isDisjoint(with: .nameChanged) else { return nil }
        return (nil, mayLeadElsewhere: true)
    }
}

/// What the system's events mean for a watch: the event to report to its owner, and whether the path may lead elsewhere now; then its
/// folders must be watched anew first.
typealias WatchFinding = (event: FileWatch.Event?, mayLeadElsewhere: Bool)

extension FileWatch.Event {
    fileprivate init(ofFile events: FolderEvents) {
        self =
            if events.contains(.deleted) { .removed } else if events.contains(.movedFrom) { .movedAway } else {
                events.isDisjoint(with: [.movedTo, .closedAfterWriting]) ? .beingWritten : .replaced
            }
    }
}

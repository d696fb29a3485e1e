import StoredValuesSupport

/// The folders whose changes decide which file a path leads to, and the file's content.
///
/// Busy folders such as `/tmp` and `/home` are on many paths; for folders that are only passed through, only their own moves
/// and deletions are requested.
struct WatchedPath: Equatable, Sendable {
    /// The file that the path leads to, or how far it can be followed.
    let target: String
    /// Parents before children. Watching them in this order misses no change: a folder that is swapped before its turn is
    /// watched in its new form, and a later swap is reported.
    private(set) var folders: [Folder] = []
    /// Whether the target's folder is among them.
    private(set) var reachesTarget = false
    /// Why the path cannot be followed to its end.
    let obstacle: FileError?

    struct Folder: Equatable {
        let path: String
        var filter = FolderFilter()
    }

    /// The current folders and links of the absolute `path`.
    init(_ path: String, operations: any FileOperations) {
        let way: ResolvedPath
        (way, obstacle) = ResolvedPath.follow(path, operations: operations)
        target = way.target
        for link in way.links { note(link, .way, .nameChanged) }
        noteEnd(of: way, operations)
        folders.sort { $0.path.utf8.count < $1.path.utf8.count }
    }

    /// Adds the file's folder; if it is missing, the nearest existing parent.
    private mutating func noteEnd(of way: ResolvedPath, _ operations: any FileOperations) {
        guard target != "/" else { return }
        func kind(_ path: String) -> FileKind? { try? operations.status(at: path, followingLinks: false).kind }

        var last = target
        var folder = way.folder
        while folder != "/", kind(folder) != .folder {
            last = folder
            folder = ResolvedPath.folder(of: folder)
        }
        let isSomethingThere = kind(last) != nil
        reachesTarget = last == target && obstacle == nil
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
    private mutating func note(_ path: String, _ role: FolderFilter.Role, _ events: FolderEvents) {
        let folder = ResolvedPath.folder(of: path)
        let index = index(of: folder)
        folders[index].filter.insert(ResolvedPath.name(of: path), role, events)
        var above = ResolvedPath.folder(of: folder)
        while above != "/" {
            _ = self.index(of: above)
            above = ResolvedPath.folder(of: above)
        }
    }

    private mutating func index(of folder: String) -> Int {
        if let index = folders.firstIndex(where: { $0.path.isIdentical(to: folder) }) { return index }
        folders.append(Folder(path: folder))
        return folders.count - 1
    }
}

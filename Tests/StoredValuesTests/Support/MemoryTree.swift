@testable import StoredValues
@testable import StoredValuesFiles
import StoredValuesSupport

/// What a ``MemoryDisk`` holds: files and folders by number, who has them open or locked, and what has happened.
struct MemoryTree {
    enum Node {
        case file([UInt8], mode: UInt32)
        case folder([String: Int])
    }

    struct Handle {
        let node: Int
        let path: String
        var offset = 0
    }

    var nodes: [Int: Node] = [0: .folder([:])]
    var modified: [Int: Int64] = [:]
    var changed: [Int: Int64] = [:]
    var clock: Int64 = 0
    var handles: [Int32: Handle] = [:]
    var lastHandle: Int32 = 100
    /// Which handle holds the lock of which file.
    var locks: [Int: Int32] = [:]
    var events: [DiskEvent] = []
    var faults: [String: SystemErrorCode] = [:]

    mutating func tick() -> Int64 {
        clock += 1
        return clock
    }

    mutating func handle(_ node: Int, _ path: String) -> Int32 {
        lastHandle += 1
        handles[lastHandle] = Handle(node: node, path: path)
        return lastHandle
    }

    mutating func release(_ descriptor: Int32) {
        guard let node = handles[descriptor]?.node, locks[node] == descriptor else { return }
        locks[node] = nil
    }

    /// The number of what lies at `path`; nil when nothing does and its folder exists or not.
    func find(_ path: String) throws(SystemErrorCode) -> Int? {
        var node = 0
        for part in path.split(separator: "/") {
            guard case .folder(let entries) = nodes[node] else { throw .notFolder }
            guard let next = entries[String(part)] else { return nil }
            node = next
        }
        return node
    }

    mutating func make(_ node: Node) -> Int {
        let number = nodes.count
        nodes[number] = node
        (modified[number], changed[number]) = (tick(), clock)
        if case .folder = node { events.append(.madeFolder(number)) } else { events.append(.madeFile(number)) }
        return number
    }

    /// Binds names of one folder at once; nil unbinds.
    mutating func bind(_ names: [(path: String, node: Int?)]) throws(SystemErrorCode) {
        let folderPath = ResolvedPath.folder(of: names[0].path)
        precondition(names.allSatisfy { ResolvedPath.folder(of: $0.path) == folderPath }, "across folders")
        guard let folder = try find(folderPath), case .folder(var entries) = nodes[folder] else { throw .noEntry }
        var changes: [String: Int?] = [:]
        for (path, node) in names {
            let name = String(path.split(separator: "/")[path.split(separator: "/").count - 1])
            entries[name] = node
            changes[name] = .some(node)
            if let node { changed[node] = tick() }
        }
        nodes[folder] = .folder(entries)
        events.append(.changed(folder: folder, changes))
    }

    mutating func fill(_ file: Int, with bytes: [UInt8], mode: UInt32) {
        nodes[file] = .file(bytes, mode: mode)
        (modified[file], changed[file]) = (tick(), clock)
        events.append(.wrote(file: file, bytes))
    }

    /// Puts `bytes` in place at `path`, in a new file and new folders where there is none.
    mutating func place(_ bytes: [UInt8], at path: String) {
        do {
            var folder = ""
            for part in path.split(separator: "/").dropLast() {
                folder += "/" + part
                if try find(folder) == nil { try bind([(folder, make(.folder([:])))]) }
            }
            if try find(path) == nil { try bind([(path, make(.file([], mode: 0o600)))]) }
            guard let file = try find(path), case .file(_, let mode) = nodes[file] else { throw SystemErrorCode.isFolder }
            fill(file, with: bytes, mode: mode)
        } catch {
            preconditionFailure("cannot place \(path): \(error)")
        }
    }

    func status(of node: Int) -> FileStatus {
        let (kind, size, mode): (FileKind, Int, UInt32) =
            if case .file(let bytes, let mode) = nodes[node] { (.regular, bytes.count, mode) } else { (.folder, 0, 0o700) }
        return FileStatus(
            identity: FileIdentity(
                device: 1, inode: UInt64(node), size: Int64(size), modified: modified[node] ?? 0, changed: changed[node] ?? 0),
            kind: kind, mode: mode, user: 0, group: 0, links: 1)
    }

    func files(of folder: Int, _ path: String) -> [String: [UInt8]] {
        guard case .folder(let entries) = nodes[folder] else { return [:] }
        return entries.reduce(into: [:]) { files, entry in
            let path = path + "/" + entry.key
            if case .file(let bytes, _) = nodes[entry.value] {
                files[path] = bytes
            } else {
                files.merge(self.files(of: entry.value, path)) { $1 }
            }
        }
    }
}

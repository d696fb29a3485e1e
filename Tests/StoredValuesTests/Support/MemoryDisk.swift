import StoredValuesSupport

@testable import StoredValues
@testable import StoredValuesFiles

/// A disk in memory that answers as a POSIX file system does, and records what happens to it. It knows no symbolic links.
///
/// Its clock starts in 1970, so every file on it looks as if it had lain there for long.
// Sound: what changes is guarded.
final class MemoryDisk: FileOperations, @unchecked Sendable {
    override var canBeWatched: Bool { false }
    private let state = Guarded(MemoryTree())

    private let allowsLinks: Bool

    /// An empty disk, or one with these files.
    init(_ files: [String: [UInt8]] = [:], allowsLinks: Bool = true) {
        self.allowsLinks = allowsLinks
        super.init()
        state.withLock { state in
            for (path, bytes) in files { state.place(bytes, at: path) }
            state.events = []
        }
    }

    /// What has happened so far. Numbers of files are given in the order of their making; 0 is the root.
    var events: [DiskEvent] { state.withLock { $0.events } }

    func note(_ event: DiskEvent) { state.withLock { $0.events.append(event) } }

    /// Every fsync of a path that ends so fails from now on; nil lets them succeed again.
    func failToSynchronize(_ pathSuffix: String, with code: SystemErrorCode?) {
        state.withLock { $0.faults[pathSuffix] = code }
    }

    /// How many bytes there is room for, beside what is on the disk now.
    func leaveRoom(_ count: Int) { state.withLock { $0.size = $0.used + count } }

    /// Every file with its path.
    var files: [String: [UInt8]] { state.withLock { $0.files(of: 0, "") } }

    /// What a person does with an editor that writes in place: the file is emptied, then filled in two steps. Nothing is
    /// synchronised.
    func write(_ text: String, inPlaceAt path: String) {
        let bytes = Array(text.utf8)
        state.withLock { state in
            for count in [0, bytes.count / 2, bytes.count] { state.place(Array(bytes.prefix(count)), at: path) }
        }
    }

    // MARK: FileOperations

    override func open(_ path: String, for purpose: OpenPurpose) throws(SystemErrorCode) -> Int32 {
        try state.withLock { state throws(SystemErrorCode) in
            if let node = try state.find(path) {
                switch (state.nodes[node], purpose) {
                case (_, .creating): throw .exists
                case (.folder, .locking): throw .isFolder
                case (.file, .folder): throw .notFolder
                default: return state.handle(node, path)
                }
            }
            guard purpose == .creating else { throw .noEntry }
            let file = state.make(.file([], mode: 0o600))
            try state.bind([(path, file)])
            return state.handle(file, path)
        }
    }

    override func close(_ descriptor: Int32) {
        state.withLock { state in
            state.release(descriptor)
            state.handles[descriptor] = nil
        }
    }

    override func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(SystemErrorCode) -> Int {
        let part = try state.withLock { state throws(SystemErrorCode) in
            guard let handle = state.handles[descriptor] else { throw .invalidArgument }
            guard case .file(let bytes, _) = state.nodes[handle.node] else { throw .isFolder }
            let part = Array(bytes.dropFirst(handle.offset).prefix(buffer.count))
            state.handles[descriptor]?.offset += part.count
            return part
        }
        buffer.copyBytes(from: part)
        return part.count
    }

    override func write(_ descriptor: Int32, from buffer: UnsafeRawBufferPointer) throws(SystemErrorCode) -> Int {
        let part = Array(buffer)
        return try state.withLock { state throws(SystemErrorCode) in
            guard let handle = state.handles[descriptor], case .file(let bytes, let mode) = state.nodes[handle.node] else {
                throw .invalidArgument
            }
            let all = bytes.prefix(handle.offset) + part + bytes.dropFirst(handle.offset + part.count)
            guard state.size == .max || state.used + all.count - bytes.count <= state.size else { throw .noSpace }
            state.handles[descriptor]?.offset += part.count
            state.fill(handle.node, with: Array(all), mode: mode)
            return part.count
        }
    }

    override func synchronize(_ descriptor: Int32) throws(SystemErrorCode) {
        try state.withLock { state throws(SystemErrorCode) in
            guard let handle = state.handles[descriptor] else { throw .invalidArgument }
            if let fault = state.faults.first(where: { handle.path.hasSuffix($0.key) })?.value {
                state.events.append(.failedToSynchronize(handle.node))
                throw fault
            }
            state.events.append(.synchronized(handle.node, path: handle.path))
        }
    }

    override func flush(_ descriptor: Int32) throws(SystemErrorCode) {}

    override func status(of descriptor: Int32) throws(SystemErrorCode) -> FileStatus {
        try state.withLock { state throws(SystemErrorCode) in
            guard let handle = state.handles[descriptor] else { throw .invalidArgument }
            return state.status(of: handle.node)
        }
    }

    override func status(at path: String, followingLinks: Bool) throws(SystemErrorCode) -> FileStatus {
        try state.withLock { state throws(SystemErrorCode) in
            guard let node = try state.find(path) else { throw .noEntry }
            return state.status(of: node)
        }
    }

    override func changeMode(of descriptor: Int32, to mode: UInt32) throws(SystemErrorCode) {
        try state.withLock { state throws(SystemErrorCode) in
            guard let handle = state.handles[descriptor], case .file(let bytes, _) = state.nodes[handle.node] else {
                throw .invalidArgument
            }
            state.nodes[handle.node] = .file(bytes, mode: mode)
            state.changed[handle.node] = state.tick()
        }
    }

    override func changeOwner(of descriptor: Int32, user: UInt32?, group: UInt32) throws(SystemErrorCode) {}

    override func lock(_ descriptor: Int32, waiting: Bool) throws(SystemErrorCode) {
        while true {
            let isHeld = try state.withLock { state throws(SystemErrorCode) in
                guard let node = state.handles[descriptor]?.node else { throw .invalidArgument }
                if state.locks[node] == nil { state.locks[node] = descriptor }
                return state.locks[node] == descriptor
            }
            if isHeld { return }
            guard waiting else { throw .wouldBlock }
            yieldThread()
        }
    }

    override func unlock(_ descriptor: Int32) {
        state.withLock { $0.release(descriptor) }
    }

    override func rename(_ path: String, to newPath: String) throws(SystemErrorCode) {
        try state.withLock { state throws(SystemErrorCode) in
            guard let node = try state.find(path) else { throw .noEntry }
            if try state.find(newPath) == node { return }  // rename(2): two names of one file both stay
            try state.bind([(path, nil), (newPath, node)])
        }
    }

    override func link(_ path: String, to newPath: String) throws(SystemErrorCode) {
        guard allowsLinks else { throw .notPermitted }
        try state.withLock { state throws(SystemErrorCode) in
            guard let node = try state.find(path) else { throw .noEntry }
            guard try state.find(newPath) == nil else { throw .exists }
            try state.bind([(newPath, node)])
        }
    }

    override func unlink(_ path: String) throws(SystemErrorCode) {
        try state.withLock { state throws(SystemErrorCode) in
            guard try state.find(path) != nil else { throw .noEntry }
            try state.bind([(path, nil)])
        }
    }

    override func makeFolder(_ path: String, mode: UInt32) throws(SystemErrorCode) {
        try state.withLock { state throws(SystemErrorCode) in
            guard try state.find(path) == nil else { throw .exists }
            try state.bind([(path, state.make(.folder([:])))])
        }
    }

    override func hasNoLinks(_ path: String) -> Bool { false }  // what can fail is asked

    override func readLink(_ path: String) throws(SystemErrorCode) -> String {
        try state.withLock { state throws(SystemErrorCode) in
            throw try state.find(path) == nil ? .noEntry : .invalidArgument
        }
    }

    // Many file systems have no attributes, and without the courtesy among processes a lock works all the same.

    override func attributeNames(at path: String) throws(SystemErrorCode) -> [String] { [] }
    override func attribute(_ name: String, at path: String) throws(SystemErrorCode) -> [UInt8] { throw .noData }
    override func setAttribute(_ name: String, of descriptor: Int32, to value: [UInt8]?) throws(SystemErrorCode) { throw .notSupported }
    override func mark(_ descriptor: Int32, at offset: Int64?) {}
    override func othersMark(_ descriptor: Int32, in range: Range<Int64>) -> Int64? { nil }
}

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
    var size = Int.max

    /// The bytes of all files that have a name or are open.
    var used: Int {
        var found = Set(handles.values.map(\.node))
        for case .folder(let entries) in nodes.values { found.formUnion(entries.values) }
        return found.reduce(0) { sum, node in
            if case .file(let bytes, _) = nodes[node] { sum + bytes.count } else { sum }
        }
    }

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

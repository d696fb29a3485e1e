import Dispatch
import StoredValuesSupport

@testable import StoredValues
@testable import StoredValuesFiles

/// Every state of a disk that a power cut may leave, worked out from what had happened to it.
///
/// A file's fsync brings its bytes to the disk, and not its name; a folder's brings its names. Of a file whose last bytes
/// no fsync covers, the disk has those of before, the new ones, the first half of them, as many zeros, or the first half and
/// then zeros. Of the operations on a folder since its fsync the disk has what ``Folders`` says. Folders are cut
/// independently of each other.
struct PowerCut {
    /// Which of a folder's operations that no fsync covers have reached the disk.
    enum Folders: CaseIterable {
        /// The first few of them, as with ext4 and XFS, whose journal keeps the order.
        case inOrder
        /// Any of them, whatever came before: harsher than any file system in use.
        case anyOrder
    }

    /// What is on the disk afterwards, and which states of the values may be read from it.
    struct State: Hashable {
        var files: [String: [UInt8]]
        var allowed: ClosedRange<Int>
    }

    let folders: Folders

    /// Files whose contents nobody reads; they have the bytes that were written last.
    private static func isUnread(_ name: String) -> Bool { name.hasSuffix(".tmp") || name.hasSuffix(".lock") }

    private var written: [Int: [UInt8]] = [:]
    private var durable: [Int: [UInt8]] = [:]
    private var forgotten: Set<Int> = []
    private var entries: [Int: [String: Int]] = [0: [:]]
    private var pending: [Int: [[String: Int?]]] = [:]
    private var promised = 0
    private var begun = 0
    private var random = SeededGenerator(seed: 42)  // the same in every run

    private init(_ folders: Folders) { self.folders = folders }

    /// The states after each of `events` from an empty disk on, each once; those after an event are worked out when they are asked for.
    static func states(after events: [DiskEvent], folders: Folders) -> some Sequence<State> {
        let start = (cut: PowerCut(folders), seen: Set<State>(), rest: events[...])
        return sequence(state: start) { progress -> [State]? in
            guard let event = progress.rest.popFirst() else { return nil }
            progress.cut.apply(event)
            // What has no name yet is not to be found.
            if case .madeFile = event { return [] }
            return progress.cut.states().filter { progress.seen.insert($0).inserted }
        }.joined()
    }

    private mutating func apply(_ event: DiskEvent) {
        switch event {
        case .madeFile(let file): (written[file], durable[file]) = ([], [])
        case .madeFolder(let folder): entries[folder] = [:]
        case .wrote(let file, let bytes): written[file] = bytes
        case .changed(let folder, let names): pending[folder, default: []].append(names)
        case .synchronized(let node, _):
            if let names = entries[node] {
                entries[node] = Self.entries(names, applying: pending[node] ?? [])
                pending[node] = nil
            } else if !forgotten.contains(node) {
                durable[node] = written[node]
            }
        case .failedToSynchronize(let node): forgotten.insert(node)
        case .began(let state): begun = state
        case .promised(let state): promised = state
        }
    }

    private static func entries(_ entries: [String: Int], applying changes: some Sequence<[String: Int?]>) -> [String: Int] {
        changes.reduce(into: entries) { entries, change in
            for (name, node) in change { entries[name] = node }
        }
    }

    private mutating func states() -> [State] {
        var states: [State] = []
        var trees = [entries]
        for (folder, changes) in pending.sorted(by: { $0.key < $1.key }) {
            let versions = Set(survivors(of: changes).map { Self.entries(entries[folder] ?? [:], applying: $0) })
            trees = trees.flatMap { tree in versions.map { version in tree.merging([folder: version]) { $1 } } }
        }
        for tree in trees {
            var versions: [[String: [UInt8]]] = [[:]]
            for (path, file) in files(of: 0, "", in: tree) {
                let contents = Self.isUnread(path) ? [written[file] ?? []] : possibleContents(of: file)
                versions = versions.flatMap { files in contents.map { bytes in files.merging([path: bytes]) { $1 } } }
            }
            for files in versions { states.append(State(files: files, allowed: promised...begun)) }
        }
        return states
    }

    /// The selections of `changes` that may have reached the disk. Of up to eight in any order they are all 256; of more,
    /// all but one or two, one or two alone, the first few, and a hundred at random.
    private mutating func survivors(of changes: [[String: Int?]]) -> [[[String: Int?]]] {
        let count = changes.count
        var selections: [[Bool]] = (0...count).map { length in (0..<count).map { $0 < length } }
        if folders == .anyOrder, count <= 8 {
            selections = (0..<(1 << count)).map { bits in (0..<count).map { bits >> $0 & 1 == 1 } }
        } else if folders == .anyOrder {
            for first in 0..<count {
                for second in first..<count {
                    selections.append((0..<count).map { $0 == first || $0 == second })
                    selections.append((0..<count).map { $0 != first && $0 != second })
                }
            }
            for _ in 0..<100 { selections.append((0..<count).map { _ in Bool.random(using: &random) }) }
        }
        return selections.map { selection in zip(changes, selection).filter(\.1).map(\.0) }
    }

    private func possibleContents(of file: Int) -> Set<[UInt8]> {
        let new = written[file] ?? [], old = durable[file] ?? []
        guard new != old else { return [new] }
        let half = Array(new.prefix(new.count / 2))
        let zeros = [UInt8](repeating: 0, count: new.count)
        return [old, new, half, zeros, half + zeros.dropFirst(half.count)]
    }

    private func files(of folder: Int, _ path: String, in tree: [Int: [String: Int]]) -> [(path: String, file: Int)] {
        (tree[folder] ?? [:]).sorted { $0.key < $1.key }.flatMap { name, node in
            tree[node] == nil ? [(path + "/" + name, node)] : files(of: node, path + "/" + name, in: tree)
        }
    }
}

/// What happened to a disk, as far as it decides what a power cut leaves. Files and folders are told apart by a number.
enum DiskEvent {
    case madeFile(Int)
    case madeFolder(Int)
    /// A write; these are the file's bytes after it.
    case wrote(file: Int, [UInt8])
    /// One operation on a folder: what it binds names to; nil unbinds.
    case changed(folder: Int, [String: Int?])
    /// An fsync that succeeded. The path is there for people, and for tests that leave it out.
    case synchronized(Int, path: String)
    /// An fsync that failed: Linux counts what was to be written as written and forgets it.
    case failedToSynchronize(Int)
    /// Somebody begins to change the values, to the state of this number.
    case began(state: Int)
    /// Somebody was promised that this state would survive a power cut.
    case promised(state: Int)
}

/// What was found on opening the file in every state that a power cut may leave.
struct PowerCutReplay {
    /// How many different states were opened.
    private(set) var count = 0
    /// Those in which neither the last promised values nor later ones were to be had.
    private(set) var losses: [String] = []

    /// - Parameters:
    ///   - events: What happened, if not what is recorded: a story with something left out.
    ///   - hidden: The end of a path that the new process does not find.
    ///   - untilFirst: Whether it ends with the first loss, which is enough where one must be found.
    ///   - open: What a new process reads.
    init(
        of story: PowerCutStory, folders: PowerCut.Folders, events: [DiskEvent]? = nil, hiding hidden: String? = nil, untilFirst: Bool = false,
        open: (MemoryDisk) throws -> PowerCutStory.Values
    ) rethrows {
        let history = story.states
        for state in PowerCut.states(after: events ?? story.disk.events, folders: folders) {
            count += 1
            let found = state.files.filter { file in hidden.map { !file.key.hasSuffix($0) } ?? true }
            let values = try open(MemoryDisk(found))
            guard !state.allowed.contains(where: { history[$0] == values }) else { continue }
            let files = found.mapValues { String(decoding: $0, as: UTF8.self).replacing("\0", with: "0") }
            losses.append("\(values), not one of \(history[state.allowed]), from \(files)")
            if untilFirst { break }
        }
    }

    /// The same, read as preferences.
    init(
        of story: PowerCutStory, folders: PowerCut.Folders, events: [DiskEvent]? = nil, hiding hidden: String? = nil, untilFirst: Bool = false
    ) {
        self.init(of: story, folders: folders, events: events, hiding: hidden, untilFirst: untilFirst) { disk in
            Self.values(.ofAnotherProcess(story.path, operations: disk))
        }
    }

    /// The same, on a thread of its own.
    static func offPool(
        of story: PowerCutStory, folders: PowerCut.Folders, events: [DiskEvent]? = nil, hiding hidden: String? = nil, untilFirst: Bool = false
    ) async -> PowerCutReplay {
        let recorded = events ?? story.disk.events
        return await StoredValuesTests.offPool {
            PowerCutReplay(of: story, folders: folders, events: recorded, hiding: hidden, untilFirst: untilFirst)
        }
    }

    static func values(_ storage: PreferencesFile) -> PowerCutStory.Values {
        Dictionary(
            uniqueKeysWithValues: storage.keys.map { key in
                let text = (storage.store.own(key)?.json).map { String(decoding: $0, as: UTF8.self) }
                return (key, text.flatMap { Int($0) } ?? -1)
            })
    }
}

/// What some processes and people do to one preferences file on a disk in memory, and which values ought to be there when.
final class PowerCutStory: Sendable {
    /// The values by key.
    typealias Values = [String: Int]

    let path = "/home/config/editor/p.json"
    let disk: MemoryDisk
    /// Every state that the values had, in order.
    var states: [Values] { history.withLock { $0 } }
    private let history = Guarded<[Values]>([[:]])

    /// The folders above the application's own exist, and are on the disk.
    init(allowsLinks: Bool = true) throws {
        disk = MemoryDisk(allowsLinks: allowsLinks)
        try disk.makeFolder("/home", mode: 0o700)
        try disk.makeFolder("/home/config", mode: 0o700)
        try settle("/", "/home")
    }

    /// A program that has the file open. What it does in the background would make a story differ from run to run, so it
    /// is put off until `syncDelay` is over.
    func process(syncDelay: Duration = .seconds(3600)) -> PreferencesFile {
        .ofAnotherProcess(path, operations: disk, syncDelay: syncDelay)
    }

    /// Makes a change through `storage`.
    func set(_ key: String, to value: Int, in storage: PreferencesFile) {
        begin { $0[key] = value }
        StoredValue(key: key, default: 0, storage: storage).set(value)
    }

    /// Makes a change through `storage`, which survives when this returns.
    func set(_ key: String, durablyTo value: Int, in storage: PreferencesFile) async throws {
        begin { $0[key] = value }
        try await StoredValue(key: key, default: 0, storage: storage).set(durably: value)
        promise()
    }

    /// Says what the values are going to be; the change itself comes after.
    func begin(_ change: (inout Values) -> Void) {
        var states = states
        var values = states[states.count - 1]
        change(&values)
        states.append(values)
        history.withLock { [states] in $0 = states }
        disk.note(.began(state: states.count - 1))
    }

    func flush(_ storage: PreferencesFile) async throws {
        try await storage.flush()
        promise()
    }

    /// From here on the present state must survive.
    func promise() {
        disk.note(.promised(state: states.count - 1))
    }

    /// The fsync of each of `paths`.
    func settle(_ paths: String...) throws {
        for path in paths {
            let kind = try disk.status(at: path, followingLinks: false).kind
            let descriptor = try disk.open(path, for: kind == .folder ? .folder : .reading)
            defer { disk.close(descriptor) }
            try disk.synchronize(descriptor)
        }
    }

    /// Waits until the fsyncs have come that follow the last change in the background.
    func waitForBackground() async throws {
        try await eventually("the file and then its folder are on the disk") {
            let events = disk.events
            let name = path.split(separator: "/").last.map(String.init) ?? ""
            let last = events.lastIndex { if case .changed(_, let names) = $0 { names[name] != nil } else { false } } ?? 0
            let paths = events[last...].compactMap { if case .synchronized(_, let path) = $0 { path } else { nil } }
            guard let file = paths.firstIndex(of: path) else { return false }
            return paths[file...].contains(ResolvedPath.folder(of: path))
        }
    }
}

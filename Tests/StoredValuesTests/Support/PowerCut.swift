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

    let events: [DiskEvent]
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
    private var random = SplitMix(state: 42)

    private init(_ events: [DiskEvent], _ folders: Folders) {
        self.events = events
        self.folders = folders
    }

    /// The states after each of `events` from an empty disk on, each once.
    static func states(after events: [DiskEvent], folders: Folders) -> Set<State> {
        var cut = PowerCut(events, folders)
        var states: Set<State> = []
        for event in events {
            cut.apply(event)
            // What has no name yet is not to be found.
            if case .madeFile = event { continue }
            cut.addStates(to: &states)
        }
        return states
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

    private mutating func addStates(to states: inout Set<State>) {
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
            for files in versions { states.insert(State(files: files, allowed: promised...begun)) }
        }
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

/// Random numbers that are the same in every run (Steele, Lea and Flood, "Fast splittable pseudorandom number generators").
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

import Dispatch
import StoredValuesSupport

@testable import StoredValues
@testable import StoredValuesFiles

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

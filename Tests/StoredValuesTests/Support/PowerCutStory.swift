import Foundation

@testable import StoredValues

/// What some processes and people do to one preferences file on a disk in memory, and which values ought to be there when.
final class PowerCutStory {
    /// The values by key.
    typealias Values = [String: Int]

    let path = "/home/config/editor/p.json"
    let disk = MemoryDisk()
    /// Every state that the values had, in order.
    private(set) var states: [Values] = [[:]]

    /// The folders above the application's own exist, and are on the disk.
    init() throws {
        try disk.makeFolder("/home", mode: 0o700)
        try disk.makeFolder("/home/config", mode: 0o700)
        try settle("/", "/home")
    }

    /// A program that has the file open.
    func process() -> PreferencesFile { .ofAnotherProcess(path, operations: disk) }

    /// Makes a change through `storage`.
    func set(_ key: String, to value: Int, in storage: PreferencesFile) {
        begin { $0[key] = value }
        StoredValue(key: key, default: 0, storage: storage).set(value)
    }

    /// Says what the values are going to be; the change itself comes after.
    func begin(_ change: (inout Values) -> Void) {
        var values = states[states.count - 1]
        change(&values)
        states.append(values)
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

    /// Waits until the fsync has come that follows a change in the background.
    func waitForBackground() async throws {
        let before = disk.events.count
        try await eventually("the file itself is on the disk") {
            let events = disk.events.dropFirst(before)
            return [path, ResolvedPath.folder(of: path)].allSatisfy { path in
                events.contains { if case .synchronized(_, path) = $0 { true } else { false } }
            }
        }
    }
}

/// What was found on opening the file in every state that a power cut may leave.
struct PowerCutReplay {
    private(set) var count = 0
    /// States in which the last promised values, or later ones, were not to be had.
    private(set) var losses: [String] = []

    /// - Parameters:
    ///   - events: What happened, if not what is recorded: a story with something left out.
    ///   - open: What a new process finds; nil for the values as a ``PreferencesFile`` reads them.
    init(
        of story: PowerCutStory, folders: PowerCut.Folders, events: [DiskEvent]? = nil, hiding hidden: String? = nil,
        open: (MemoryDisk) -> PowerCutStory.Values? = { _ in nil }
    ) {
        for state in PowerCut.states(after: events ?? story.disk.events, folders: folders) {
            count += 1
            let disk = MemoryDisk(state.files.filter { hidden == nil || $0.key != hidden })
            let values = open(disk) ?? Self.values(PreferencesFile.ofAnotherProcess(story.path, operations: disk))
            guard !state.allowed.contains(where: { story.states[$0] == values }) else { continue }
            let files = state.files.mapValues { String(decoding: $0, as: UTF8.self).replacing("\0", with: "0") }
            losses.append("\(values), not one of \(story.states[state.allowed]), from \(files)")
        }
    }

    static func values(_ storage: PreferencesFile) -> PowerCutStory.Values {
        Dictionary(uniqueKeysWithValues: storage.keys.map { key in
            let text = storage.preferences.text(of: key).map { String(decoding: $0, as: UTF8.self) }
            return (key, text.flatMap(Int.init) ?? -1)
        })
    }
}

@testable import StoredValues

/// What was found on opening the file in every state that a power cut may leave.
struct PowerCutReplay {
    /// How many different states there were.
    private(set) var count = 0
    /// Those in which neither the last promised values nor later ones were to be had.
    private(set) var losses: [String] = []

    /// - Parameters:
    ///   - events: What happened, if not what is recorded: a story with something left out.
    ///   - hidden: The end of a path that the new process does not find.
    ///   - open: What a new process reads.
    init(
        of story: PowerCutStory, folders: PowerCut.Folders, events: [DiskEvent]? = nil, hiding hidden: String? = nil,
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
        }
    }

    /// The same, read as preferences.
    init(
        of story: PowerCutStory, folders: PowerCut.Folders, events: [DiskEvent]? = nil, hiding hidden: String? = nil
    ) {
        self.init(of: story, folders: folders, events: events, hiding: hidden) { disk in
            Self.values(.ofAnotherProcess(story.path, operations: disk))
        }
    }

    /// The same, on a thread of its own.
    static func offPool(
        of story: PowerCutStory, folders: PowerCut.Folders, events: [DiskEvent]? = nil, hiding hidden: String? = nil
    ) async -> PowerCutReplay {
        let recorded = events ?? story.disk.events
        return await StoredValuesTests.offPool { PowerCutReplay(of: story, folders: folders, events: recorded, hiding: hidden) }
    }

    static func values(_ storage: PreferencesFile) -> PowerCutStory.Values {
        Dictionary(uniqueKeysWithValues: storage.keys.map { key in
            let text = (storage.store.own(key)?.json).map { String(decoding: $0, as: UTF8.self) }
            return (key, text.flatMap { Int($0) } ?? -1)
        })
    }
}

import Foundation
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

/// One after the other and off Swift's pool: they calculate a lot, and other tests measure time beside them.
@Suite("A power cut", .heavy, .hangLimit)
struct PowerCutTests {}

extension PowerCutTests {
    @Test(
        "At any instant it leaves the last flushed values or later ones, whole",
        arguments: PowerCutScenario.all, PowerCut.Folders.allCases)
    func anyInstant(scenario: PowerCutScenario, folders: PowerCut.Folders) async throws {
        let replay = await PowerCutReplay.offPool(of: try await scenario.story(), folders: folders)
        #expect(replay.count >= 10)
        #expect(replay.losses == [])
    }

    @Test("The replay finds what is left out", arguments: Omission.all, PowerCut.Folders.allCases)
    func findsOmissions(omission: Omission, folders: PowerCut.Folders) async throws {
        let story = try await PowerCutScenario.named(omission.scenario).story()
        let replay = await PowerCutReplay.offPool(
            of: story, folders: folders, events: omission.events(of: story), hiding: omission.hidden, untilFirst: true)
        #expect(replay.losses != [])
    }

    @Test("Once the background is done the file itself is whole, and the generation need not be read")
    func background() async throws {
        let story = try PowerCutStory()
        let storage = story.process(syncDelay: .milliseconds(50))
        for number in 1...5 { story.set("a", to: number, in: storage) }
        try await story.waitForBackground()
        story.promise()
        let events = story.disk.events
        let replay = await PowerCutReplay.offPool(of: story, folders: .anyOrder, events: events, hiding: ".durable")
        #expect(replay.losses == [])
        let unsynchronized = events.filter { if case .synchronized(_, story.path) = $0 { false } else { true } }
        let other = await PowerCutReplay.offPool(
            of: story, folders: .anyOrder, events: unsynchronized, hiding: ".durable", untilFirst: true)
        #expect(other.losses != [])
    }

    @Test("A user's broken file stays on the disk under some name", arguments: [true, false])
    func rejected(allowsLinks: Bool) async throws {
        let broken = "{ \"a\": what a person wrote"
        let story = try PowerCutStory(allowsLinks: allowsLinks)
        story.begin { $0 = ["kept": 1] }
        story.disk.write(broken, inPlaceAt: story.path)
        try story.settle("/home/config", "/home/config/editor", story.path)
        story.promise()
        let storage = story.process()
        StoredValue(key: "a", default: 0, storage: storage).set(1)
        try await storage.flush()
        let replay = PowerCutReplay(of: story, folders: .inOrder) { disk in
            disk.files.values.contains(Array(broken.utf8)) ? ["kept": 1] : [:]
        }
        #expect(replay.losses == [])
        #expect(story.disk.files.count { $0.key.contains(".rejected-") } == 1)
    }

    @Test("A file that is replaced durably needs no generation", arguments: PowerCut.Folders.allCases)
    func durableReplacement(folders: PowerCut.Folders) throws {
        let story = try PowerCutStory()
        let file = DurableFile(path: story.path, operations: story.disk)
        for number in 1...3 {
            story.begin { $0 = ["n": number] }
            _ = try file.withLock { try $0.replace(with: Array("<\(number)>".utf8), durably: true) }
            story.promise()
        }
        func replay(without path: String? = nil) throws -> PowerCutReplay {
            let events = story.disk.events.filter { if case .synchronized(_, path) = $0 { false } else { true } }
            return try PowerCutReplay(of: story, folders: folders, events: events, untilFirst: path != nil) { disk in
                guard let bytes = try DurableFile(path: story.path, operations: disk).read()?.bytes else { return [:] }
                return ["n": Int(String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)) ?? -1]
            }
        }
        #expect(try replay().losses == [])
        for path in [DurableFile.temporaryPath(of: story.path), "/home/config/editor", "/home/config"] {
            #expect(try replay(without: path).losses != [], "without the fsync of \(path)")
        }
    }

    @Test("A real disk in such a state gives the same values as one in memory")
    func realDisk() async throws {
        let story = try await PowerCutScenario.named("a person breaks the file, and another program is started, changes a value and flushes").story()
        try withTemporaryFolder { folder in
            for (number, state) in PowerCut.states(after: story.disk.events, folders: .inOrder).enumerated() {
                let root = "\(folder)/\(number)"
                for (path, bytes) in state.files {
                    let url = URL(fileURLWithPath: root + path)
                    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                    try Data(bytes).write(to: url)
                    // As long ago as after a power cut, so that nobody waits for the rest of it.
                    try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: url.path)
                }
                let inMemory = PreferencesFile.ofAnotherProcess(story.path, operations: MemoryDisk(state.files))
                let onDisk = PreferencesFile.ofAnotherProcess(root + story.path)
                #expect(PowerCutReplay.values(onDisk) == PowerCutReplay.values(inMemory))
            }
        }
    }
}

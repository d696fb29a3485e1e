import Dispatch
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

/// Something that is done to preferences, by name.
struct PowerCutScenario: Sendable, CustomTestStringConvertible {
    let testDescription: String
    private let play: @Sendable (PowerCutStory) async throws -> Void

    init(_ name: String, _ play: @escaping @Sendable (PowerCutStory) async throws -> Void) {
        testDescription = name
        self.play = play
    }

    /// What happens in it.
    func story() async throws -> PowerCutStory {
        let story = try PowerCutStory()
        try await play(story)
        return story
    }

    /// The scenario of that name.
    static func named(_ name: String) throws -> PowerCutScenario {
        try #require(all.first { $0.testDescription == name })
    }

    static let all = [
        PowerCutScenario("a first change, which makes the folder and the file") { story in
            story.set("a", to: 1, in: story.process())
        },
        PowerCutScenario("a first change and flush") { story in
            let storage = story.process()
            story.set("a", to: 1, in: storage)
            try await story.flush(storage)
        },
        PowerCutScenario("one program makes the folders and is killed, and another flushes") { story in
            story.set("a", to: 1, in: story.process())
            try await story.flush(story.process())
        },
        PowerCutScenario("changes after a flush") { story in
            let storage = story.process()
            story.set("a", to: 1, in: storage)
            try await story.flush(storage)
            story.set("a", to: 2, in: storage)
            story.set("b", to: 3, in: storage)
            try await story.flush(storage)
            story.set("a", to: 4, in: storage)
            try await story.flush(storage)
            try await story.flush(storage)
        },
        PowerCutScenario("durable changes, and others before and after them") { story in
            let storage = story.process()
            try await story.set("a", durablyTo: 1, in: storage)
            story.set("b", to: 2, in: storage)
            try await story.set("a", durablyTo: 3, in: storage)
            story.set("b", to: 4, in: storage)
            story.set("a", to: 5, in: storage)
        },
        PowerCutScenario("a durable change whose folder cannot be synced") { story in
            let storage = story.process()
            try await story.set("a", durablyTo: 1, in: storage)
            story.begin { $0["a"] = 2 }  // as others may see it
            story.disk.failToSynchronize("/editor", with: .ioFailed)
            do {
                try await StoredValue(key: "a", default: 0, storage: storage).set(durably: 2)
            } catch PreferencesError.notSaved {
                story.begin { $0["a"] = 1 }
            }
            story.disk.failToSynchronize("/editor", with: nil)
            try await story.set("b", durablyTo: 3, in: storage)
        },
        PowerCutScenario("many changes, brought to the disk in the background") { story in
            let storage = story.process(syncDelay: .milliseconds(50))
            for number in 1...5 { story.set("\(number % 3)", to: number, in: storage) }
            try await story.waitForBackground()
            story.promise()
            for number in 6...10 { story.set("\(number % 3)", to: number, in: storage) }
        },
        PowerCutScenario("batches") { story in
            let storage = story.process()
            for round in 1...3 {
                story.begin { values in for key in "abc" { values[String(key)] = round } }
                storage.batch {
                    for key in "abc" { StoredValue(key: String(key), default: 0, storage: storage).set(round) }
                }
                if round == 2 { try await story.flush(storage) }
            }
        },
        PowerCutScenario("a person breaks the file, and a running program changes a value") { story in
            let storage = story.process()
            story.set("a", to: 1, in: storage)
            try await story.flush(storage)
            story.set("b", to: 2, in: storage)
            story.disk.write("{ broken", inPlaceAt: story.path)
            try await story.flush(storage)
            story.disk.write("{ broken again", inPlaceAt: story.path)
            story.set("b", to: 3, in: storage)
            try await story.flush(storage)
        },
        PowerCutScenario("a person breaks the file, and another program is started, changes a value and flushes") { story in
            let first = story.process()
            story.set("a", to: 1, in: first)
            try await story.flush(first)
            story.disk.write("{ broken", inPlaceAt: story.path)
            try story.settle(story.path)
            let second = story.process()
            story.set("b", to: 2, in: second)
            try await story.flush(second)
        },
        PowerCutScenario("after a power cut that tore the file, a program is started and flushes without a change") { story in
            let first = story.process()
            story.set("a", to: 1, in: first)
            try await story.flush(first)
            story.disk.write("", inPlaceAt: story.path)
            try story.settle(story.path)
            try await story.flush(story.process())
        },
        PowerCutScenario("a person edits the file in place, and both are flushed") { story in
            let storage = story.process()
            story.set("a", to: 1, in: storage)
            try await story.flush(storage)
            try story.settle(story.path)
            story.begin { $0["a"] = 2 }
            story.disk.write(#"{"a": 2}"#, inPlaceAt: story.path)
            try await story.flush(storage)
            story.set("b", to: 3, in: storage)
            try await story.flush(storage)
        },
        PowerCutScenario("a person deletes the file") { story in
            let first = story.process()
            story.set("a", to: 1, in: first)
            try await story.flush(first)
            story.begin { $0 = [:] }
            try story.disk.unlink(story.path)
            let second = story.process()
            try await story.flush(second)
            story.set("b", to: 2, in: second)
            try await story.flush(second)
            story.set("b", to: 3, in: second)
        },
        PowerCutScenario("a person deletes the file, and a change comes before the next flush") { story in
            let first = story.process()
            story.set("a", to: 1, in: first)
            try await story.flush(first)
            story.begin { $0 = [:] }
            try story.disk.unlink(story.path)
            let second = story.process()
            story.set("b", to: 2, in: second)
            try await story.flush(second)
        },
        PowerCutScenario("a program deletes the file, and stores another value after it") { story in
            let storage = story.process()
            story.set("a", to: 1, in: storage)
            try await story.flush(storage)
            story.set("b", to: 2, in: storage)
            story.begin { $0 = [:] }
            try await storage.delete()
            story.promise()
            story.set("c", to: 3, in: storage)
            try await story.flush(storage)
        },
        PowerCutScenario("two programs take turns, of which one flushes") { story in
            let first = story.process(), second = story.process()
            for round in 1...3 {
                story.set("a", to: round, in: first)
                story.set("b", to: round, in: second)
                try await story.flush(second)
                story.set("c", to: round, in: first)
            }
        },
        PowerCutScenario("an fsync of the generation fails, and the next succeeds") { story in
            try await playFailure(of: ".durable.stored-values.tmp", in: story)
        },
        PowerCutScenario("an fsync of the folder fails, and the next succeeds") { story in
            try await playFailure(of: "/editor", in: story)
        },
        PowerCutScenario("an fsync of the file fails in the background, and the next succeeds") { story in
            try await playFailure(of: "p.json", in: story)
        },
    ]

    private static func playFailure(of path: String, in story: PowerCutStory) async throws {
        let storage = story.process(syncDelay: path == "p.json" ? .milliseconds(50) : .seconds(3600))
        story.set("a", to: 1, in: storage)
        try await story.flush(storage)
        story.disk.failToSynchronize(path, with: .ioFailed)
        story.set("a", to: 2, in: storage)
        if path == "p.json" {
            try await eventually("the background's fsync has failed") {
                story.disk.events.contains { if case .failedToSynchronize = $0 { true } else { false } }
            }
        } else {
            await #expect(throws: PreferencesError.self) { try await storage.flush() }
        }
        story.disk.failToSynchronize(path, with: nil)
        try await story.flush(storage)
        story.set("b", to: 3, in: storage)
    }
}

import Foundation
import StoredValues

/// Opening a large file, and what that leaves in memory.
func openingTasks(in temporary: TemporaryFolder) throws -> [Comparison] {
    let copies = try Copies(keys: 10_000, in: temporary)
    return [
        Comparison(
            task: "Open a file of 10,000 keys and read one",
            ours: copies.ours,
            limit: .init(copies.serialization, bar: 0.5)),
        Comparison(
            task: "Memory for 10,000 keys open, none decoded",
            ours: Contestant("ours") { count in
                try await sum(count) { Double(try Conversation(Role.command("memory", copies.files[0].path)).hear()) ?? .nan }
            },
            limit: .init(Contestant("the file's bytes") { Double($0 * copies.bytes.count) }, bar: 2),
            unit: .memory,
            race: Race(rounds: 3...9, patience: .seconds(2), turn: .zero)),
    ]
}

/// Many copies of one file: what this process has opened a moment ago it may have open still.
struct Copies: Sendable {
    let files: [BareFile]
    let bytes: [UInt8]
    private let numbers = Numbers()

    init(keys: Int, in temporary: TemporaryFolder) throws {
        let sample = SampleSettings(count: keys)
        bytes = sample.text
        files = try (0..<16).map { try sample.write("copies-\(keys)-\($0)", in: temporary) }
    }

    var ours: Contestant {
        Contestant.timed("ours") { count in
            for _ in 0..<count {
                let file = files[numbers.next % files.count]
                let value = StoredValue(key: "autosave", default: false, storage: file.preferences)
                guard value.wrappedValue else { throw Failure(description: "autosave was not read") }
            }
        }
    }

    var serialization: Contestant {
        let data = Data(bytes)
        return .timed("JSONSerialization of the same bytes") { count in
            for _ in 0..<count {
                let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
                guard object?["autosave"] as? Bool == true else { throw Failure(description: "autosave was not read") }
            }
        }
    }
}

import Foundation
import StoredValues

/// How cost grows.
func growthCurves(in temporary: TemporaryFolder) -> [Curve] {
    let keys = [10, 100, 1000, 10_000, 100_000]
    return [
        Curve(file: "read", title: "Reading a Bool", horizontal: "keys in the file", steps: keys) { count in
            let file = try SampleSettings(count: count).write("growth-read-\(count)", in: temporary)
            let value = StoredValue(key: "autosave", default: false, storage: file.preferences)
            let bare = Bare(true)
            return [
                .timed("ours") { for _ in 0..<$0 { use(value.wrappedValue) } },
                .timed("Mutex") { for _ in 0..<$0 { use(bare.value) } },
            ]
        },
        Curve(file: "set", title: "Setting a number", horizontal: "keys in the file", steps: keys) { count in
            try setters("growth-set", keys: count, in: temporary)
        },
        Curve(file: "open", title: "Opening a file and reading one value", horizontal: "keys in the file", steps: keys) { count in
            let copies = try Copies(keys: count, in: temporary)
            return [copies.ours, copies.serialization]
        },
        Curve(
            file: "subscribers", title: "One set until all subscribers have it", horizontal: "subscribers",
            steps: [1, 10, 100, 1000]
        ) { count in
            let crowd = try await Crowd(count, in: temporary)
            return [crowd.ours, crowd.bare]
        },
        Curve(
            file: "processes", title: "Processes that all change one file", horizontal: "processes",
            vertical: "time for one change of all, median", steps: [1, 2, 4, 8]
        ) { count in
            [
                try changers(count, "ours", in: temporary),
                try changers(count, "bare", named: "flock, read, write, rename", in: temporary),
            ]
        },
    ]
}

/// So many processes, each with a key of its own, that make as many changes together as they are told.
private func changers(
    _ count: Int, _ how: String, named name: String? = nil, in temporary: TemporaryFolder
) throws -> Contestant {
    let file = try SampleSettings(count: 50).write("growth-processes-\(how)-\(count)", in: temporary)
    let processes = try (0..<count).map { try Conversation(Role.command("change", file.folder, "key.\($0)", how)) }
    for process in processes { _ = try process.hear() }
    return Contestant(name ?? how) { changes in
        // Some each, so that they meet.
        let each = max(20, changes / count)
        let total = try await seconds {
            for process in processes { try process.tell("\(each)") }
            for process in processes { _ = try process.hear() }
        }
        return total / Double(each * count) * Double(changes)
    }
}

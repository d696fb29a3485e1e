import Foundation
import StoredValues
import Synchronization

/// Changing a setting, on the disk or not yet.
func changingTasks(in temporary: TemporaryFolder) throws -> [Comparison] {
    try [setting(keys: 50, in: temporary), setting(keys: 1000, in: temporary)] + [
        flushing(in: temporary), manySets(in: temporary), batch(in: temporary),
    ]
}

private func setting(keys: Int, in temporary: TemporaryFolder) throws -> Comparison {
    let all = try setters("setting", keys: keys, in: temporary)
    return Comparison(
        task: "`set`, \(keys.formatted(.number.locale(Locale(identifier: "en_US")))) keys",
        ours: all[0], limit: .init(all[1], bar: 1.5), peers: [.init(all[2]), .init(all[3], bar: 1)])
}

/// Those who set a number among so many keys: ours, the bare limit, the same as ours does it, and the user defaults, which are left out of more
/// than 1,000 keys, where they take minutes.
func setters(_ name: String, keys: Int, in temporary: TemporaryFolder) throws -> [Contestant] {
    let suite = "\(name)-\(keys)"
    let file = try SampleSettings(count: keys).write(suite, in: temporary)
    let bare = try SampleSettings(count: keys).write("\(suite)-bare", in: temporary)
    let value = StoredValue(key: "fontSize", default: 0, storage: file.preferences)
    let bytes = try bare.read()
    let closing = BareClosing()
    let numbers = Numbers()
    let setters = [
        Contestant.timed("ours") { count in for _ in 0..<count { value.set(numbers.next) } }.leavingWork,
        Contestant.timed("open, write, close, rename") { count in for _ in 0..<count { try bare.replace(with: bytes, durably: false) } },
        // Without it the bare one is the steeper by what freeing a large file takes.
        Contestant.timed("the old file freed on another thread") { count in
            for _ in 0..<count { try bare.replace(with: bytes, durably: false, closingOn: closing) }
        }.leavingWork,
    ]
    guard keys <= 1000 else { return setters }
    try userDefaults(suite, count: keys)
    let defaults = try Contestant.userDefaults(suite, "UserDefaults set + synchronize") { defaults, count in
        for _ in 0..<count {
            defaults.set(numbers.next, forKey: "fontSize")
            _ = defaults.synchronize()
        }
    }
    return setters + [defaults]
}

private func flushing(in temporary: TemporaryFolder) throws -> Comparison {
    let sample = SampleSettings(count: 50)
    let file = try sample.write("flushing", in: temporary)
    let bare = try sample.write("flushing-bare", in: temporary)
    let copy = BareFile(folder: bare.folder, name: "copy")
    let value = StoredValue(key: "fontSize", default: 0, storage: file.preferences)
    let bytes = try bare.read()
    try copy.replace(with: bytes, durably: true)
    let journal = try Database(path: "\(temporary.path)/journal.sqlite", writeAhead: false, keys: sample.keys)
    let log = try Database(path: "\(temporary.path)/log.sqlite", writeAhead: true, keys: sample.keys)
    let queue = DispatchQueue(label: "copies")
    let closing = BareClosing()
    let numbers = Numbers()
    return Comparison(
        task: "`set` + `flush`",
        ours: Contestant.awaited("ours") { count in
            for _ in 0..<count {
                value.set(numbers.next)
                try await value.flush()
            }
        }.leavingWork,
        // What `set` promises at its return and `flush` at its own, in the fewest calls.
        limit: .init(
            .timed("bare replacement, then a bare durable copy, access kept") { count in
                for _ in 0..<count {
                    try bare.replace(with: bytes, durably: false, like: bare.path)
                    try copy.replace(with: bytes, durably: true, like: bare.path)
                }
            }, bar: 1.15),
        peers: [
            // And as ours does it: without blocking the thread of the task that waits for the disk, or waiting until old
            // files are freed.
            .init(
                Contestant.awaited("the same on threads of their own, old files freed on another") { count in
                    for _ in 0..<count {
                        try bare.replace(with: bytes, durably: false, like: bare.path, closingOn: closing)
                        try await withCheckedThrowingContinuation { continuation in
                            queue.async {
                                continuation.resume(
                                    with: Result {
                                        try copy.replace(with: bytes, durably: true, like: bare.path, closingOn: closing)
                                    })
                            }
                        }
                    }
                }.leavingWork),
            // No more than a new file on the disk: after a power cut it is the old one or the new one, and `set` has promised nothing.
            .init(
                .timed("write, fsync, rename, fsync of the folder") { count in
                    for _ in 0..<count { try bare.replace(with: bytes, durably: true) }
                }),
            .init(
                .timed("GRDB commit") { count in for _ in 0..<count { try journal.set(sample.keys[1], to: numbers.next) } },
                bar: 1),
            .init(
                .timed("GRDB commit with a write-ahead log") { count in
                    for _ in 0..<count { try log.set(sample.keys[1], to: numbers.next) }
                }),
        ])
}

private func manySets(in temporary: TemporaryFolder) throws -> Comparison {
    let sample = SampleSettings(count: 50)
    let file = try sample.write("many", in: temporary)
    let value = StoredValue(key: "fontSize", default: 0, storage: file.preferences)
    let database = try Database(path: "\(temporary.path)/many.sqlite", writeAhead: false, keys: sample.keys)
    try userDefaults("many")
    let numbers = Numbers()
    return Comparison(
        task: "1,000 `set` in a row, then `flush`",
        ours: .awaited("ours") { count in
            for _ in 0..<count {
                for _ in 0..<1000 { value.set(numbers.next) }
                try await value.flush()
            }
        },
        peers: [
            .init(
                try .userDefaults("many", "UserDefaults, `synchronize` at the end") { defaults, count in
                    for _ in 0..<count {
                        for _ in 0..<1000 { defaults.set(numbers.next, forKey: "fontSize") }
                        _ = defaults.synchronize()
                    }
                }),
            .init(
                .timed("GRDB, 1,000 commits") { count in
                    for _ in 0..<count { for _ in 0..<1000 { try database.set(sample.keys[1], to: numbers.next) } }
                }),
        ],
        race: Race(rounds: 3...9, patience: .seconds(4)))
}

private func batch(in temporary: TemporaryFolder) throws -> Comparison {
    let sample = SampleSettings(count: 1000)
    let file = try sample.write("batch", in: temporary).preferences
    let values = sample.keys.map { StoredValue(key: "batch.\($0)", default: 0, storage: file) }
    let database = try Database(path: "\(temporary.path)/batch.sqlite", writeAhead: false, keys: sample.keys)
    try userDefaults("batch", count: 1000)
    let numbers = Numbers()
    return Comparison(
        task: "1,000 keys in one `batch`, then `flush`",
        ours: .awaited("ours") { count in
            for _ in 0..<count {
                let number = numbers.next
                file.batch { for value in values { value.set(number) } }
                try await file.flush()
            }
        },
        peers: [
            .init(
                try .userDefaults("batch", "UserDefaults, one `synchronize`") { defaults, count in
                    for _ in 0..<count {
                        let number = numbers.next
                        for key in sample.keys { defaults.set(number, forKey: "batch.\(key)") }
                        _ = defaults.synchronize()
                    }
                }),
            .init(
                .timed("GRDB, one transaction") { count in
                    for _ in 0..<count { try database.set(sample.keys, to: numbers.next) }
                }),
        ])
}

/// Another number each time: storing what is stored already would be no change.
final class Numbers: Sendable {
    private let last = Atomic(1_000_000)
    var next: Int { last.add(1, ordering: .relaxed).newValue }
}

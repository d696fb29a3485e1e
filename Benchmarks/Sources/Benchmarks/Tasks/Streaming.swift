import StoredValues
import Synchronization

/// Telling those who iterate over a value.
func streamingTasks(in temporary: TemporaryFolder) async throws -> [Comparison] {
    let crowd = try await Crowd(1000, in: temporary)
    return [
        Comparison(
            task: "One `set` to 1,000 subscribers, until all have it",
            ours: crowd.ours,
            limit: .init(crowd.bare, bar: 1.5)),
        try otherProcess(in: temporary),
    ]
}

/// So many tasks that iterate over a stored value, and as many over streams of their own.
struct Crowd: Sendable {
    let ours: Contestant
    let bare: Contestant

    init(_ size: Int, in temporary: TemporaryFolder) async throws {
        let file = try SampleSettings(count: 50).write("crowd-\(size)", in: temporary)
        let value = StoredValue(key: "fontSize", default: 0, storage: file.preferences)
        let numbers = Numbers()
        let audience = Audience(size)
        let members = Members()
        ours = .awaited("ours") { count in
            for _ in 0..<count { await audience.wait { value.set(numbers.next) } }
            withExtendedLifetime(members) {}
        }

        let bareAudience = Audience(size)
        let streams = (0..<size).map { _ in AsyncStream.makeStream(of: Int.self) }
        bare = .awaited("AsyncStream") { count in
            for _ in 0..<count {
                await bareAudience.wait {
                    let number = numbers.next
                    for stream in streams { stream.continuation.yield(number) }
                }
            }
        }
        // All begin to wait before the first turn.
        await audience.wait {
            for _ in 0..<size {
                members.add(Task { for await number in value.values { audience.hear(number) } })
            }
        }
        await bareAudience.wait {
            for stream in streams {
                stream.continuation.yield(0)
                members.add(Task { for await number in stream.stream { bareAudience.hear(number) } })
            }
        }
    }
}

/// Tasks, cancelled when this is released.
private final class Members: Sendable {
    private let tasks = Mutex<[Task<Void, Never>]>([])
    func add(_ task: Task<Void, Never>) { tasks.withLock { $0.append(task) } }
    deinit { tasks.withLock { for task in $0 { task.cancel() } } }
}

/// Counts those who have heard.
private final class Audience: Sendable {
    private let size: Int
    private let missing = Atomic(0)
    private let waiter = Mutex<CheckedContinuation<Void, Never>?>(nil)

    init(_ size: Int) { self.size = size }

    /// Runs `speak` and waits until all have heard.
    func wait(_ speak: () -> Void) async {
        await withCheckedContinuation { continuation in
            waiter.withLock { $0 = continuation }
            missing.store(size, ordering: .releasing)
            speak()
        }
    }

    func hear(_ number: Int) {
        use(number)
        if missing.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { waiter.withLock { $0.take() }?.resume() }
    }
}

/// Waits for the next stamp but `last`, which it becomes, and returns how old it is, in seconds.
func delay(of stamps: inout some AsyncIteratorProtocol<Int, Never>, after last: inout Int?) async -> Double {
    while let stamp = await stamps.next(isolation: nil) {
        guard stamp != last else { continue }
        last = stamp
        return Double(Int(Role.nanoseconds()) - stamp) / 1e9
    }
    return 0
}

/// From the instant at which another process renames a file until a stream has what it says.
private func otherProcess(in temporary: TemporaryFolder) throws -> Comparison {
    let writer = try Conversation(Role.command("stamp"))
    let file = BareFile(folder: try temporary.folder("other"), name: "preferences.json")
    let bare = BareFile(folder: try temporary.folder("other-bare"), name: "preferences.json")
    let value = StoredValue(key: "stamp", default: 0, storage: file.preferences)
    let watch = try BareWatch(bare)
    return Comparison(
        task: "Another process's write until a stream has it",
        ours: Contestant("ours") { count in
            var stamps = value.values.makeAsyncIterator()
            var last = await stamps.next(isolation: nil)
            return try await sum(count) {
                try writer.tell(file.folder)
                return await delay(of: &stamps, after: &last)
            }
        },
        limit: .init(
            Contestant("inotify, read") { count in
                try await sum(count) {
                    try writer.tell(bare.folder)
                    let digits = try watch.next().filter { (48...57).contains($0) }
                    return Double(Int(Role.nanoseconds()) - (Int(String(decoding: digits, as: UTF8.self)) ?? 0)) / 1e9
                }
            }, bar: 2))
}

import Foundation
import StoredValues
import Synchronization

/// Reading what is in memory.
func readingTasks(in temporary: TemporaryFolder) throws -> [Comparison] {
    let file = try SampleSettings(count: 50).write("reading", in: temporary)
    let bool = StoredValue(key: "autosave", default: false, storage: file.preferences)
    let window = StoredValue(key: "window", default: Window(), storage: file.preferences)
    let sentence = String(repeating: "text", count: 10)
    let text = StoredValue(key: "text", default: "", storage: file.preferences)
    text.set(sentence)
    let bareText = Bare(sentence)
    let bareBool = Bare(true)
    let bareWindow = Bare(Window())
    let suite = "reading"
    try userDefaults(suite)
    let oneThread = Contestant.timed("one thread") { count in
        for _ in 0..<count { use(bool.wrappedValue) }
    }
    return [
        Comparison(
            task: "Read a stored Bool, hot",
            ours: .timed("ours") { count in for _ in 0..<count { use(bool.wrappedValue) } },
            limit: .init(.timed("`Mutex`") { count in for _ in 0..<count { use(bareBool.value) } }, bar: 2),
            peers: [
                .init(
                    try .userDefaults(suite) { defaults, count in
                        for _ in 0..<count { use(defaults.bool(forKey: "autosave")) }
                    }, bar: 0.1)
            ]),
        Comparison(
            task: "Read a stored struct of four fields, hot",
            ours: .timed("ours") { count in for _ in 0..<count { use(window.wrappedValue) } },
            limit: .init(.timed("`Mutex`") { count in for _ in 0..<count { use(bareWindow.value) } }, bar: 2),
            peers: [
                .init(
                    try .userDefaults(suite, "UserDefaults + JSONDecoder") { defaults, count in
                        for _ in 0..<count {
                            guard let data = defaults.data(forKey: "window") else { throw Failure(description: "no window") }
                            use(try JSONDecoder().decode(Window.self, from: data))
                        }
                    }, bar: 0.1)
            ]),
        Comparison(
            task: "Read a stored text of 40 characters, hot",
            ours: .timed("ours") { count in for _ in 0..<count { use(text.wrappedValue) } },
            limit: .init(.timed("`Mutex`") { count in for _ in 0..<count { use(bareText.value) } }, bar: 1.5),
            peers: [
                .init(
                    try .userDefaults(suite) { defaults, count in
                        for _ in 0..<count { use(defaults.string(forKey: "text")) }
                    })
            ]),
        Comparison(
            task: "Read a Bool with two threads, for one read of all",
            ours: .timed("ours") { count in inTwoThreads(count) { use(bool.wrappedValue) } },
            limit: .init(oneThread, bar: 1),
            peers: [.init(.timed("`Mutex` with two threads") { count in inTwoThreads(count) { use(bareBool.value) } })]),
        Comparison(
            task: "Read a Bool while a thread sets and flushes",
            ours: Contestant("ours") { count in
                try await whileChanging(file.preferences) { for _ in 0..<count { use(bool.wrappedValue) } }
            },
            limit: .init(oneThread)),
    ]
}

extension Contestant {
    /// The user defaults with the suite `name`, made on the thread that asks: they are not `Sendable`.
    static func userDefaults(
        _ suite: String, _ name: String = "UserDefaults", _ body: @escaping @Sendable (UserDefaults, Int) throws -> Void
    ) throws -> Contestant {
        Contestant(name) { count in
            guard let defaults = UserDefaults(suiteName: suite) else { throw Failure(description: "no user defaults") }
            return try ContinuousClock().measure { try body(defaults, count) }.seconds
        }
    }
}

/// A value behind a mutex.
final class Bare<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>
    init(_ value: Value) { mutex = Mutex(value) }
    var value: Value { mutex.withLock { $0 } }
}

private func inTwoThreads(_ count: Int, _ body: @Sendable () -> Void) {
    DispatchQueue.concurrentPerform(iterations: 2) { _ in
        for _ in 0..<(count + 1) / 2 { body() }
    }
}

/// The seconds that `body` takes while another thread changes another key of the file and flushes, over and over.
private func whileChanging(_ file: PreferencesFile, _ body: () -> Void) async throws -> Double {
    let number = StoredValue(key: "fontSize", default: 0, storage: file)
    let writer = Task {
        while !Task.isCancelled {
            number.set(number.wrappedValue + 1)
            do { try await number.flush() } catch PreferencesError.cancelled {}
        }
    }
    let time = await seconds { body() }
    writer.cancel()
    try await writer.value
    return time
}

import ExampleProcess
import Foundation
import StoredValues
import Testing

/// The service as it runs: a process that reads its own file and keyring, and gets signals.
@Suite(.timeLimit(.minutes(1)))
struct ConfigWatcherTests {
    let home: TemporaryHome

    init() throws {
        home = try TemporaryHome()
    }

    @Test("An edit of the file is taken up, however the editor saves")
    func edits() async throws {
        try await write(apiKey: "unspeakable7d1f")
        let watcher = try start()
        var lines = watcher.lines.makeAsyncIterator()
        _ = try await lines.next(containing: "Connected to localhost:8080")

        try home.write(#"{"upstream": {"host": "one.example.com", "port": 1}}"#, to: preferences)
        _ = try await lines.next(containing: "Connected to one.example.com:1")
        try home.writeInPlace(#"{"upstream": {"host": "two.example.com", "port": 2}}"#, to: preferences)
        _ = try await lines.next(containing: "Connected to two.example.com:2")
        try FileManager.default.removeItem(atPath: "\(home.path)/\(preferences)")
        _ = try await lines.next(containing: "Connected to localhost:8080")
        try await end(watcher, &lines)
    }

    @Test("A mistake in the file leaves the connection as it is, and is told", arguments: [
        (#"{"upstream": {"host": "bad.example.com", "port": 70000}}"#, "The upstream is left as it is"),
        (#"{"upstream": {"host": "bad.example.com", "port": "#, "line 1"),
    ])
    func mistake(text: String, report: String) async throws {
        try await write(apiKey: "unspeakable7d1f")
        try home.write(#"{"upstream": {"host": "one.example.com", "port": 1}}"#, to: preferences)
        let watcher = try start()
        var lines = watcher.lines.makeAsyncIterator()
        _ = try await lines.next(containing: "Connected to one.example.com:1")

        try home.write(text, to: preferences)
        _ = try await lines.next(containing: report)
        try home.write(#"{"upstream": {"host": "two.example.com", "port": 2}}"#, to: preferences)
        let next = try await lines.next(containing: "Connected to")
        #expect(next.contains("two.example.com:2"))
        try await end(watcher, &lines)
    }

    @Test("A key that is stored, rotated and removed by another process is taken up, and never printed")
    func rotation() async throws {
        let watcher = try start()
        var lines = watcher.lines.makeAsyncIterator()
        _ = try await lines.next(containing: "There is no API key")
        try await write(apiKey: "unspeakable7d1f first")
        _ = try await lines.next(containing: "there is an API key")
        try await write(apiKey: "unspeakable7d1f second")
        _ = try await lines.next(containing: "the API key was rotated")
        try await keyring.remove(apiKey)
        _ = try await lines.next(containing: "There is no API key")
        try await end(watcher, &lines)
    }

    @Test("A keyring out of reach is told, and is not taken for one without a key")
    func noKeyring() async throws {
        let watcher = try start(keyring: nil)
        var lines = watcher.lines.makeAsyncIterator()
        _ = try await lines.next(containing: "Whether there is an API key is not known")
        try await end(watcher, &lines)
    }

    // MARK: The service

    private let preferences = ".config/com.example.ConfigWatcher/preferences.json"
    private let apiKey = SecretIdentifier(service: "com.example.ConfigWatcher", account: "apiKey")

    private func start(keyring: String? = "secrets") throws -> ExampleProcess {
        let environment = keyring.map { ["STORED_VALUES_KEYRING": "file:\(home.path)/\($0)"] } ?? [:]
        return try ExampleProcess("ConfigWatcher", home: home.path, environment: environment)
    }

    /// Asks it to end, and reads how it does.
    private func end(_ watcher: ExampleProcess, _ lines: inout AsyncStream<String>.Iterator) async throws {
        watcher.terminate()
        var rest: [String] = []
        while let line = await lines.next() { rest.append(line) }
        #expect(rest.last?.contains("Shut down") == true, "\(rest)")
        #expect(!rest.contains { $0.contains("There is no API key") })
        #expect(await watcher.exitStatus == 0)
    }

    /// The file in which the service keeps the key, as another process sees it.
    private var keyring: EncryptedFileKeyring {
        .encryptedFile("\(home.path)/secrets", key: .generatedFile("\(home.path)/secrets.key"))
    }

    private func write(apiKey text: String) async throws {
        try await keyring.write(Secret(text.utf8), for: apiKey, label: "API key of ConfigWatcher")
    }
}

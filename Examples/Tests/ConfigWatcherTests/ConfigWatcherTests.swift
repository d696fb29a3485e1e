import ExampleProcess
import Foundation
import StoredValues
import Testing

/// The service as it runs: a process that reads its own file and keyring, and gets signals.
@Suite(.timeLimit(.minutes(30)))
struct ConfigWatcherTests {
    let home: TemporaryHome

    init() throws {
        home = try TemporaryHome()
    }

    @Test("An edit of the file is taken up, however the editor saves")
    func edits() async throws {
        try await write(apiKey: secretMark)
        let watcher = try start()
        var lines = watcher.lines.makeAsyncIterator()
        try await expect("Connected to localhost:8080 (", in: &lines)

        try home.write(#"{"upstream": {"host": "one.example.com", "port": 1}}"#, to: preferences)
        try await expect("Disconnected", "Connected to one.example.com:1 (", in: &lines)
        try home.writeInPlace(#"{"upstream": {"host": "two.example.com", "port": 2}}"#, to: preferences)
        try await expect("Disconnected", "Connected to two.example.com:2 (", in: &lines)
        try FileManager.default.removeItem(atPath: "\(home.path)/\(preferences)")
        try await expect("Disconnected", "Connected to localhost:8080 (", in: &lines)
        try await end(watcher, &lines, isConnected: true)
    }

    @Test("What an edit changes together is taken up together, from the file that the command line names")
    func together() async throws {
        try await write(apiKey: secretMark)
        let watcher = try start("--config", "\(home.path)/other.json")
        var lines = watcher.lines.makeAsyncIterator()
        try await expect("Connected to localhost:8080 (", in: &lines)
        for number in 1...5 {
            try home.write(#"{"upstream": {"host": "example.com", "port": \#(number)}, "keepAlive": \#(number)}"#, to: "other.json")
            try await expect("Disconnected", "Connected to example.com:\(number) (the settings say so), keep-alive every \(number) s", in: &lines)
        }
        try home.write(#"{"upstream": {"host": "example.com", "port": 5}, "keepAlive": 100000}"#, to: "other.json")
        try await expect("Disconnected", "every 3600 s", in: &lines)
        try await end(watcher, &lines, isConnected: true)
    }

    @Test(
        "A mistake in the file leaves the connection as it is, and is logged",
        arguments: [
            (#"{"upstream": {"host": "bad.example.com", "port": 70000}}"#, "\"upstream\" in"),
            (#"{"upstream": {"host": "bad.example.com", "port": "#, "line 1"),
        ])
    func mistake(text: String, report: String) async throws {
        try await write(apiKey: secretMark)
        try home.write(#"{"upstream": {"host": "one.example.com", "port": 1}}"#, to: preferences)
        let watcher = try start()
        var lines = watcher.lines.makeAsyncIterator()
        try await expect("Connected to one.example.com:1 (", in: &lines)

        try home.write(text, to: preferences)
        try await expect(report, in: &lines)
        try home.write(#"{"upstream": {"host": "two.example.com", "port": 2}}"#, to: preferences)
        try await expect("Disconnected", "Connected to two.example.com:2 (", in: &lines)
        try await end(watcher, &lines, isConnected: true)
    }

    @Test("A key that is stored, rotated and removed by another process is taken up, and never printed")
    func rotation() async throws {
        let watcher = try start()
        var lines = watcher.lines.makeAsyncIterator()
        try await expect("There is no API key", in: &lines)
        try await write(apiKey: "\(secretMark) first")
        try await expect("Connected to localhost:8080 (", in: &lines)
        try await write(apiKey: "\(secretMark) second")
        try await expect("Disconnected", "Connected to localhost:8080 (the API key was rotated)", in: &lines)
        try await keyring.remove(apiKey)
        try await expect("Disconnected", "There is no API key", in: &lines)
        try await end(watcher, &lines)
    }

    @Test("An unreachable keyring is logged, and is not read as one without a key")
    func noKeyring() async throws {
        let watcher = try start(keyring: nil)
        var lines = watcher.lines.makeAsyncIterator()
        try await expect("It is not known whether there is an API key", in: &lines)
        try await end(watcher, &lines)
    }

    // MARK: The service

    private let preferences = ".config/com.example.ConfigWatcher/preferences.json"
    private let apiKey = SecretIdentifier(service: "com.example.ConfigWatcher", account: "apiKey")

    private func start(_ arguments: String..., keyring: String? = "secrets") throws -> ExampleProcess {
        let environment = keyring.map { ["STORED_VALUES_KEYRING": "file:\(home.path)/\($0)"] } ?? [:]
        return try ExampleProcess("ConfigWatcher", arguments, home: home.path, environment: environment)
    }

    /// Reads on to a line with each of `texts` in turn. No other line may tell of a change of the connection or of no key.
    private func expect(_ texts: String..., in lines: inout Lines.Iterator) async throws {
        for text in texts {
            let line = try await lines.next(containing: text, "Connected to", "Disconnected", "There is no API key")
            try #require(line.contains(text))
        }
    }

    /// Asks it to end, and reads how it does.
    private func end(_ watcher: ExampleProcess, _ lines: inout Lines.Iterator, isConnected: Bool = false) async throws {
        watcher.terminate()
        if isConnected { try await expect("Disconnected", in: &lines) }
        try await expect("Shut down", in: &lines)
        #expect(await lines.next() == nil)
        #expect(await watcher.exitStatus == 0)
    }

    /// The file in which the service keeps the key, as another process sees it.
    private var keyring: EncryptedFileKeyring {
        EncryptedFileKeyring(path: "\(home.path)/secrets", key: .generatedFile("\(home.path)/secrets.key"), deadline: .seconds(1800))
    }

    private func write(apiKey text: String) async throws {
        try await keyring.write(Secret(text.utf8), for: apiKey, label: "API key of ConfigWatcher")
    }
}

import ExampleProcess
import Testing

/// The program itself, as a process of its own.
@Suite(.timeLimit(.minutes(30)))
struct MigrationProgramTests {
    let home: TemporaryHome

    init() throws {
        home = try TemporaryHome()
        try home.write(#"{"look": {"size": "large", "dark": true}}"#, to: "\(folder)/preferences.json")
        try home.write("\(secretMark)\n", to: "\(folder)/token")
    }

    @Test("The first run moves the settings and the token, the second one finds both there")
    func twice() async throws {
        let first = try await migrate(keyring: "secrets")
        #expect(first == ["Appearance: 18 point Sans, dark", "Token: moved from \(home.path)/\(folder)/token into the keyring"])
        #expect(home.text(of: "\(folder)/token") == nil)
        #expect(home.text(of: "\(folder)/preferences.json")?.contains(#""appearance""#) == true)

        #expect(try await migrate(keyring: "secrets") == [first[0], "Token: nothing to move"])
    }

    @Test("Settings of an INI and a dotenv file are imported once, and what is none is said")
    func oldSettings() async throws {
        try home.write("[server]\nhost = example.com\n", to: "\(folder)/settings.ini")
        try home.write("PORT=many\n", to: "\(folder)/.env")
        let lines = try await migrate(keyring: "secrets")
        #expect(lines.count == 4 && lines[1].hasPrefix("Not imported: PORT: ") && lines[2] == "Server: example.com:80")
        #expect(home.text(of: "\(folder)/preferences.json")?.contains(#""host": "example.com""#) == true)
    }

    @Test("Without a keyring the settings are read, and the token stays in the file")
    func noKeyring() async throws {
        let lines = try await migrate(keyring: nil, status: 1)
        #expect(lines.first == "Appearance: 18 point Sans, dark")
        #expect(lines.last?.contains("The token stays in \(home.path)/\(folder)/token.") == true)
        #expect(home.text(of: "\(folder)/token") == "\(secretMark)\n")
    }

    private let folder = ".config/com.example.Migration"

    /// Runs the program to its end, and returns what it printed.
    private func migrate(keyring: String?, status: Int32 = 0) async throws -> [String] {
        let environment = keyring.map { ["STORED_VALUES_KEYRING": "file:\(home.path)/\($0)"] } ?? [:]
        let program = try ExampleProcess("Migration", home: home.path, environment: environment)
        let lines = await program.allLines
        #expect(await program.exitStatus == status, "\(lines)")
        return lines
    }
}

import Files
import Locking
import SecretService
import StoredValues
import Telemetry

struct Theme: Codable, Sendable, Equatable {
    var name = "light"
    var size = 14
}

/// What a program does with the library: its settings and secrets, their keyrings and their errors.
@main
struct Consumer {
    static func main() async throws {
        guard CommandLine.arguments.count == 2 else { fatalError("usage: Consumer <an empty folder>") }
        let folder = CommandLine.arguments[1]
        StorageSystem.bootstrap(applicationID: "com.example.Consumer")
        try await settings(in: folder)
        try await secrets(in: folder)
        names()
        try await library()
        print("import StoredValues was enough")
    }

    private static func settings(in folder: String) async throws {
        let theme = StoredValue(key: "theme", default: Theme(), storage: PreferencesFile(path: folder + "/preferences.json"))
        theme.set(\.size, to: 16)
        theme.update { $0.name = "dark" }
        try await theme.flush()
        require(theme.wrappedValue == Theme(name: "dark", size: 16) && theme.isStored && theme.repairs.isEmpty)
        for await value in theme.values {
            require(value == theme.wrappedValue)
            break
        }

        // What is a file is no folder.
        let refused = StoredValue(key: "n", default: 0, storage: PreferencesFile(path: folder + "/preferences.json/no.json"))
        refused.set(1)
        do throws(PreferencesError) {
            try await refused.flush()
            require(false)
        } catch {
            guard case .notSaved(let path, let reason) = error else { fatalError("\(error)") }
            require(path.has("no.json") && !reason.isEmpty)
        }
    }

    private static func secrets(in folder: String) async throws {
        let keyrings: [any Keyring] = [
            InMemoryKeyring(),
            EncryptedFileKeyring(path: folder + "/secrets", key: .generatedFile(folder + "/key"), deadline: .seconds(1800)),
        ]
        for keyring in keyrings { try await secrets(in: keyring) }
        let missing = SecurelyStoredValue<String>(key: "token", keyring: CredentialsKeyring(path: folder + "/none"))
        do throws(SecretError) {
            try await missing.set("x")
            require(false)
        } catch {
            require(error.reason == .readOnly && missing.wrappedValue == nil)
        }
    }

    private static func secrets(in keyring: some Keyring) async throws {
        let token = SecurelyStoredValue<String>(key: "token", keyring: FallbackKeyring([keyring]))
        require(try await token.load() == nil && token.status == .absent)
        try await token.set("s3cret")
        require(token.wrappedValue == "s3cret" && token.status == .value)
        try await token.reset()
        require(try await token.load() == nil)
    }

    /// These are the package's own: were the library's seen as well, they would be ambiguous.
    private static func names() {
        let guarded = Guarded([DurableFile(path: "a")])
        require(guarded.state[0].path.has("a"))
        _ = (FileError(), Connection())
    }

    /// A library keeps its settings in a file of its own, which the program can see, set, seed and replace.
    private static func library() async throws {
        try await withTemporaryStorage(preferences: #"{"isEnabled": "by the program"}"#, secrets: ["com.example.Telemetry.token": "s3cret"]) {
            let telemetry = Telemetry(), ours = StoredValue(key: "isEnabled", default: "")
            telemetry.$isEnabled.set(true)
            require(telemetry.isEnabled && ours.value == "by the program")
            require(PreferencesFile.telemetry.path.has("/com.example.Telemetry.json"))
            require(try await telemetry.$token.load() == "s3cret")
            let page = PreferencesFile.telemetry.settings(of: Telemetry.Keys.all)
            require(page.map(\.title) == ["Telemetry", "Interval"])
            try page[1].set(text: "30")
            // One that the program declares once more is the same value, with a default of its own.
            require(telemetry.interval == 30 && StoredValue(Telemetry.Keys.interval, storage: .telemetry).value == 30)
            telemetry.publishSchema()
        }
        let preview = Telemetry(storage: .inMemory(#"{"interval": 9999}"#), keyring: .inMemory)
        require(preview.interval == 3600 && !preview.isEnabled)
        try await preview.$token.set("other")
        require(try await preview.$token.load() == "other")
    }

    private static func require(_ condition: Bool, line: UInt = #line) {
        if !condition { fatalError("line \(line): not as expected") }
    }
}

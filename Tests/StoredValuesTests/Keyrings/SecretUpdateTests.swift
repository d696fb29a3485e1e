import Foundation
import StoredValues
import Testing

@Suite("Updating a secret among processes", .hangLimit)
struct SecretUpdateTests {
    private let parties = UpdatingParties()
}

extension SecretUpdateTests {
    @Test("3 processes that increase a secret of an encrypted file 400 times each, all acknowledged, leave 1,200")
    func encryptedFile() async throws {
        try await withTemporaryFolder { folder in
            try await parties.increase("file:\(folder)/store", times: 400)
        }
    }

    @Test(
        "A process in the middle of an update keeps others from changing the secret, only while it lives",
        arguments: ["file", "fallback", "system"])
    func holding(way: String) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/store"
            try FileManager.default.createDirectory(atPath: path + ".credentials", withIntermediateDirectories: false)
            let environment = ProcessInfo.processInfo.environment.merging(["STORED_VALUES_KEYRING": "file:\(path)"]) { $1 }
            try await parties.hold(way == "system" ? way : "\(way):\(path)", beside: "file:\(path)", environment)
        }
    }

    @Test("No process waits for another one's asynchronous update, and a value set meanwhile is not lost")
    func awaiting() async throws {
        try await withTemporaryFolder { folder in try await parties.awaitSomething("file:\(folder)/store") }
    }

    @Test("Updates of many secrets of one file at once, in one process, lose nothing and do not wait for each other for ever")
    func oneProcess() async throws {
        try await withTemporaryFolder { folder in
            let keyring = EncryptedFileKeyring(path: folder + "/store", key: .generatedFile(folder + "/key"), deadline: .seconds(600))
            let secrets = (0..<8).map { SecurelyStoredValue<Int>(key: "\($0)", service: "s", keyring: keyring) }
            try await withThrowingTaskGroup { group in
                for secret in secrets {
                    for _ in 0..<20 { group.addTask { try await secret.update { $0 = ($0 ?? 0) + 1 } } }
                }
                try await group.waitForAll()
            }
            for secret in secrets { #expect(try await secret.load() == 20) }
        }
    }
}

@Suite(
    "Updating a secret of the desktop's keyring among processes", .serialized, .hangLimit,
    .enabled(if: PrivateDesktop.isAvailable, "\(PrivateDesktop.skipReason)"))
struct SecretServiceUpdateTests {
    private let desktops = PrivateDesktops()
    private let parties = UpdatingParties()
}

extension SecretServiceUpdateTests {
    @Test("3 processes that increase one 100 times each, all acknowledged, leave 300")
    func gnomeKeyring() async throws {
        let desktop = try await desktops.start()
        try await parties.increase("desktop", times: 100, desktop.environment)
    }

    @Test("A process in the middle of an update keeps others from changing the secret, by a lock file that only this user can open")
    func holding() async throws {
        let desktop = try await desktops.start()
        try await parties.hold("desktop", beside: "desktop", desktop.environment)
        let folder = desktop.folder + "/stored-values"
        #expect(try mode(folder) == 0o700)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names.count == 1, "\(names)")
        for name in names {
            #expect(try mode("\(folder)/\(name)") == 0o600)
            #expect(name.utf8.starts(with: "secret-".utf8) && name.hasSuffix(".lock"), "\(name)")
        }
    }

    @Test("No process waits for another one's asynchronous update, and a value set meanwhile is not lost")
    func awaiting() async throws {
        let desktop = try await desktops.start()
        try await parties.awaitSomething("desktop", desktop.environment)
    }

    @Test("Without a runtime folder, or with one that others may write, it works and makes no file", arguments: [true, false])
    func noRuntimeFolder(isThere: Bool) async throws {
        let desktop = try await desktops.start()
        try await withTemporaryFolder { folder in
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
            var environment = desktop.environment
            environment["XDG_RUNTIME_DIR"] = isThere ? folder : folder + "/missing"
            let process = try parties.processes.start("talk-secret", "desktop", "600", environment: environment)
            for change in ["set 1", "increase"] { #expect(try await process.ask(change) == "ok") }
            #expect(try await process.ask("get") == "2")
            #expect(try await process.ask("reset") == "ok")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
        }
    }

    @Test("Errors of the runtime folder do not prevent setting and resetting a secret; an update throws them")
    func troubledRuntimeFolder() async throws {
        let desktop = try await desktops.start()
        try await withTemporaryFolder { folder in
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder)
            // A file where a folder is to be.
            #expect(FileManager.default.createFile(atPath: folder + "/stored-values", contents: nil))
            let environment = desktop.environment.merging(["XDG_RUNTIME_DIR": folder]) { $1 }
            let process = try parties.processes.start("talk-secret", "desktop", "600", environment: environment)
            #expect(try await process.ask("set 1") == "ok")
            #expect(try await process.ask("increase").contains("\(folder)/stored-values"))
            #expect(try await process.ask("get") == "1")
            #expect(try await process.ask("reset") == "ok")
        }
    }
}

/// Processes that change one secret in every way.
private struct UpdatingParties {
    let processes = TestProcesses()

    /// Three processes increase the secret so many times each, and it is as many then.
    func increase(_ keyring: String, times: Int, _ environment: [String: String]? = nil) async throws {
        let running = try (0..<3).map { _ in
            try processes.start("increase-secret", keyring, "\(times)", environment: environment)
        }
        for process in running { #expect(try await process.lines() == (1...times).map { "\($0)" }) }
        let reader = try processes.start("talk-secret", keyring, "600", environment: environment)
        #expect(try await reader.ask("get") == "\(3 * times)")
    }

    /// One process whose closure awaits something, while another one sets and removes the secret.
    func awaitSomething(_ keyring: String, _ environment: [String: String]? = nil) async throws {
        let other = try processes.start("talk-secret", keyring, "600", environment: environment)
        #expect(try await other.ask("set 1") == "ok")
        let waiting = try processes.start("talk-secret", keyring, "600", environment: environment)
        #expect(try await waiting.ask("await") == "1")
        #expect(try await other.ask("set 5") == "ok")
        #expect(try await other.ask("increase") == "ok")
        #expect(try await waiting.ask("go on") == "6")
        #expect(try await other.ask("reset") == "ok")
        #expect(try await waiting.ask("go on") == "0")
        #expect(try await waiting.ask("go on") == "ok")
        #expect(try await other.ask("get") == "1")
    }

    /// One process that stands in the middle of an update, with the secret in `holdersKeyring`, which is that in `keyring`.
    func hold(_ holdersKeyring: String, beside keyring: String, _ environment: [String: String]?) async throws {
        let patient = try processes.start("talk-secret", keyring, "600", environment: environment)
        let hasty = try processes.start("talk-secret", keyring, "1", environment: environment)
        #expect(try await patient.ask("set 1") == "ok")
        let holder = try processes.start("talk-secret", holdersKeyring, "600", environment: environment)
        try await eventually("it is in the middle of an update") { try await holder.ask("hold") == "held" }
        try await holder.stop()
        for change in ["set 5", "reset", "increase"] { #expect(try await hasty.ask(change) == "timedOut", "\(change)") }
        #expect(try await patient.ask("get") == "1")
        // What waits now is done after it.
        try patient.send("set 7")
        holder.signal(SIGCONT)
        let outcome = try await holder.ask("go on")
        // The system's keyring has 5 s, which a busy disk may exceed; the lock is held until that change is made.
        #expect(outcome == "ok" || holdersKeyring == "system" && outcome == "timedOut", "\(outcome)")
        #expect(try await patient.line() == "ok")
        #expect(try await patient.ask("get") == "7")

        try await eventually("it is in the middle of another") { try await holder.ask("hold") == "held" }
        try await holder.kill()
        #expect(try await patient.ask("increase") == "ok")
        #expect(try await patient.ask("get") == "8")
    }
}

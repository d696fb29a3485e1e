import Foundation
import Testing

/// Programs in a sandbox as Flatpak makes one, with the portal of a desktop outside.
@Suite(
    "Inside a sandbox", .hangLimit, .enabled(if: Portal.isAvailable, "\(Portal.skipReason)"),
    .enabled(if: Sandbox.isAvailable, "\(Sandbox.skipReason)"))
struct SandboxTests {
    private let desktops = PrivateDesktops()
    private let processes = TestProcesses()
}

extension SandboxTests {
    private func start(_ sandbox: Sandbox, _ command: String...) throws -> TestProcess {
        try processes.start(
            command: try sandbox.launcher + TestProcess.command(command), environment: sandbox.environment)
    }

    /// Asks a program for its secret in `.system` until it has an answer: the deadline there is 5 seconds, which a busy machine
    /// may need.
    private func ask(_ sandbox: Sandbox, _ question: String) async throws -> String {
        let process = try start(sandbox, "talk-secret", "system", "5")
        var answer = ""
        try await eventually("there is an answer") {
            answer = try await process.ask(question)
            return answer != "timedOut" && !answer.contains("locked")
        }
        try await process.kill()
        return answer
    }

    private func selection(_ sandbox: Sandbox) async throws -> String? { try await start(sandbox, "print-selection").line() }

    @Test("Without permission secrets lie in the application's own folder, under a key that no other application gets")
    func withoutPermission() async throws {
        let desktop = try await desktops.start()
        let portal = try await Portal(on: desktop)
        let one = try await Sandbox("org.example.One", on: desktop), two = try await Sandbox("org.example.Two", on: desktop)
        let file = "\(one.home)/data/TestProcess/secrets"
        #expect(
            try await selection(one) == """
                the encrypted file \(file), opened with the Secret portal's key: This is the Flatpak org.example.One, whose \
                manifest does not let it talk to org.freedesktop.secrets.
                """)
        #expect(try await ask(one, "get") == "absent" && !FileManager.default.fileExists(atPath: file))
        #expect(try await ask(one, "set 7") == "ok")
        #expect(FileManager.default.fileExists(atPath: file))
        // Another program of the application, and another bus.
        #expect(try await ask(one, "get") == "7")
        #expect(try await ask(Sandbox("org.example.One", on: desktop), "get") == "7")
        #expect(try await ask(two, "get") == "absent")
        #expect(try await desktop.itemPaths(service: "processes", account: "number") == [])

        try FileManager.default.createDirectory(atPath: "\(two.home)/data/TestProcess", withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: file, toPath: "\(two.home)/data/TestProcess/secrets")
        #expect(try await ask(two, "get").contains("does not open the encrypted keyring"))
        withExtendedLifetime(portal) {}
    }

    @Test("With permission the desktop's keyring is used, unless there is a file under the portal's key already")
    func withPermission() async throws {
        let desktop = try await desktops.start()
        let portal = try await Portal(on: desktop)
        let before = try await Sandbox("org.example.One", on: desktop)
        let one = try await Sandbox("org.example.One", on: desktop, mayTalk: true)
        let two = try await Sandbox("org.example.Two", on: desktop, mayTalk: true)
        #expect(
            try await selection(two) == """
                the desktop's keyring (Secret Service): This is the Flatpak org.example.Two, whose manifest lets it talk to \
                org.freedesktop.secrets.
                """)
        #expect(try await ask(two, "set 2") == "ok")
        #expect(try await desktop.itemPaths(service: "processes", account: "number").count == 1)
        #expect(!FileManager.default.fileExists(atPath: "\(two.home)/data"))

        #expect(try await ask(before, "set 1") == "ok")
        #expect(try await ask(one, "get") == "1")
        #expect(try await selection(one)?.hasSuffix("org.example.One, whose secrets are in that file already.") == true)
        withExtendedLifetime(portal) {}
    }

    @Test("KeePassXC, whose own name is hidden there, stores, changes and removes a secret as outside, and opens no dialog while it is locked")
    func keePassXC() async throws {
        guard KeyringProgram.keePassXC.isAvailable else { try SkippedCase.end(because: KeyringProgram.keePassXC.skipReason) }
        let desktop = try await desktops.start(.open, .keePassXC)
        try await desktop.quitDaemon()
        try desktop.restore(.unlockBeforeSearch)
        try await desktop.startDaemon()
        let process = try await start(Sandbox("org.example.One", on: desktop, mayTalk: true), "talk-secret", "desktop", "600")
        for (question, answer) in [
            ("set 1", "ok"), ("get", "1"), ("increase", "ok"), ("get", "2"), ("reset", "ok"), ("get", "absent"), ("set 3", "ok"),
        ] {
            #expect(try await process.ask(question) == answer, "\(question)")
        }
        try await desktop.lock()
        // The dialog would stay, and each of these would wait for it until its deadline.
        for question in ["get", "set 4", "increase", "reset"] {
            let answer = try await process.ask(question)
            #expect(answer.contains("locked"), "\(question): \(answer)")
        }
        try await desktop.unlock()
        try await eventually("it is there") { try await process.ask("get") == "3" }
    }

    @Test("Each change that one application makes in gnome-keyring reaches another")
    func changes() async throws {
        let desktop = try await desktops.start()
        let one = try await Sandbox("org.example.One", on: desktop, mayTalk: true)
        let two = try await Sandbox("org.example.Two", on: desktop, mayTalk: true)
        let listener = try start(one, "print-secrets", "desktop")
        #expect(try await listener.line() == "absent")
        let process = try start(two, "talk-secret", "desktop", "600")
        for number in 1...3 {
            #expect(try await process.ask("set \(number)") == "ok")
            #expect(try await listener.line() == "\(number)")
        }
    }

    @Test("A real Flatpak stores its secrets and settings in its own folder, or in the keyring that it may talk to")
    func flatpak() async throws {
        let flatpak = try Program.orSkip("flatpak").path
        let desktop = try await desktops.start()
        try await Sandbox.requireOne(on: desktop)
        let portal = try await Portal(on: desktop)
        for (id, isAllowed) in [("org.example.One", false), ("org.example.Two", true)] {
            try await FlatpakApplication.install(id, isAllowed ? "[Session Bus Policy]\norg.freedesktop.secrets=talk" : "", on: desktop)
            func start(_ arguments: String...) throws -> TestProcess {
                try processes.start(command: [flatpak, "run", "--user", id] + arguments, environment: desktop.environment)
            }
            let selection = try #require(try await start("print-selection").line())
            #expect(selection.contains(isAllowed ? "whose manifest lets it talk to" : "whose manifest does not let it talk to"))
            for (question, expected) in [("set 7", "ok"), ("get", "7")] {
                let process = try start("talk-secret", "system", "5")
                try await eventually("\(id) answers \(expected)") { try await process.ask(question) == expected }
                try await process.kill()
            }
            #expect(try await start("set-number", "7").lines() == ["done"])
            let home = "\(desktop.folder)/home/.var/app/\(id)"
            #expect(FileManager.default.fileExists(atPath: "\(home)/config/TestProcess/preferences.json"))
            #expect(FileManager.default.fileExists(atPath: "\(home)/data/TestProcess/secrets") == !isAllowed)
            #expect(try await desktop.itemPaths(service: "processes", account: "number").isEmpty == !isAllowed)
        }
        withExtendedLifetime(portal) {}
    }

    @Test("The manifest decides, and no failure: without permission no portal means an error, with it no keyring does")
    func failures() async throws {
        let desktop = try await desktops.start(.withoutService)
        let without = try await Sandbox("org.example.One", on: desktop)
        let with = try await Sandbox("org.example.Two", on: desktop, mayTalk: true)
        #expect(try await ask(without, "set 1").contains("no program on the session bus provides the Secret portal"))
        #expect(try await ask(with, "set 1").contains("No program on the session bus provides the Secret Service"))
        for home in [without.home, with.home] { #expect(!FileManager.default.fileExists(atPath: "\(home)/data")) }
    }

    @Test("Settings lie in the sandbox's XDG_CONFIG_HOME")
    func settings() async throws {
        let desktop = try await desktops.start(.withoutService)
        let sandbox = try await Sandbox("org.example.One", on: desktop)
        #expect(try await start(sandbox, "set-number", "7").lines() == ["done"])
        let text = try String(contentsOfFile: "\(sandbox.home)/config/TestProcess/preferences.json", encoding: .utf8)
        #expect(text.contains(#""number": 7"#))
    }
}

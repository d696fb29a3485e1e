import Foundation
import Testing

@Suite("stored-values with a desktop's keyring", .hangLimit)
struct ToolDesktopTests {
    private let text = TestSecret.text()
}

extension ToolDesktopTests {
    @Test(
        "The desktop's keyring holds what the tool stored, and locked it is unavailable, not empty",
        .enabled(if: PrivateDesktop.isAvailable, "\(PrivateDesktop.skipReason)"))
    func secrets() async throws {
        let desktops = PrivateDesktops()
        let desktop = try await desktops.start()
        try await withTool { tool in
            let tool = tool.with(["STORED_VALUES_KEYRING": nil, "DBUS_SESSION_BUS_ADDRESS": desktop.address])
            #expect(try await tool.run("secret", "set", "token", input: text + "\n").status == 0)
            let isFound = try await desktop.secretTool("lookup", "service", "demo", "account", "token").output == text
            #expect(isFound)
            #expect(try await tool.run("secret", "list").output == "token\n")
            try await desktop.lock()
            for command in [["secret", "get", "token"], ["secret", "remove", "token"], ["secret", "get", "token", "--unlock"]] {
                let run = try await tool.run(command)
                #expect(run.status == 69 && run.output == "" && run.errors.contains("The keyring is locked."), "\(run)")
            }
            try await desktop.unlock()
            let isRead = try await tool.run("secret", "get", "token").output == text
            #expect(isRead)
        }
    }

    @Test("Without a program only the keyring is looked at, and without a bus that is a problem")
    func noBus() async throws {
        try await withTool { tool in
            let run = try await tool.with(["STORED_VALUES_APP": nil, "STORED_VALUES_KEYRING": nil]).run("doctor")
            #expect(run.status == 1 && !run.output.contains("Settings\n"))
            let text = run.output.words
            #expect(text.contains("the desktop's keyring (Secret Service). It is the default"))
            #expect(text.contains("There is no D-Bus session bus") && text.contains("stored-values doctor --app <id>"))
        }
    }

    @Test(
        "On a desktop it says which program provides the keyring and whether it is open, and starts nothing",
        .enabled(if: PrivateDesktop.isAvailable, "\(PrivateDesktop.skipReason)"),
        arguments: [
            (PrivateDesktop.State.open, Int32(0), ["provided by gnome-keyring-daemon, process ", "is open.", "The keyring answers"]),
            (.locked, 1, ["is locked. Unlock it in its program"]),
            (.withoutDefaultCollection, 1, ["The Secret Service has no default collection."]),
            (.withoutService, 1, ["No program on the session bus provides the Secret Service."]),
        ])
    func doctor(state: PrivateDesktop.State, status: Int32, says: [String]) async throws {
        let desktops = PrivateDesktops()
        let desktop = try await desktops.start(state)
        try await withTool { tool in
            let tool = tool.with(["STORED_VALUES_KEYRING": nil, "DBUS_SESSION_BUS_ADDRESS": desktop.address])
            let run = try await tool.run("doctor")
            #expect(run.status == status, "\(run)")
            for sentence in says { #expect(run.output.words.contains(sentence), "\(run.output)") }
            #expect(run.output.words.contains("The session bus is \(desktop.address)."))
            // Where a file is named the desktop is nobody's problem.
            #expect(try await tool.with(["STORED_VALUES_KEYRING": "file:\(tool.folder)/secrets"]).run("doctor").status == 0)
        }
    }
}

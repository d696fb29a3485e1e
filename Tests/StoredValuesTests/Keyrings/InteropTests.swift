import Foundation
import Logging
import StoredValues
import Testing

/// Secrets shared with other programs, through a real gnome-keyring.
@Suite(
    "Secrets shared with other programs", .serialized, .hangLimit,
    .enabled(if: PrivateDesktop.isAvailable, "\(PrivateDesktop.skipReason)"))
struct InteropTests {
    private let desktops = PrivateDesktops()
    private let id = SecretIdentifier(service: "com.example.app", account: "ann@example.com")
}

extension InteropTests {
    private func keyring(_ desktop: PrivateDesktop, _ attributes: SecretAttributes) -> SecretServiceKeyring {
        SecretServiceKeyring(attributes: attributes, deadline: hangLimit, busAddress: desktop.address)
    }

    /// How programs spell the secret's address: what they store an item with, and what they look it up by.
    struct Layout: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let attributes: SecretAttributes
        let stored: [String]
        let lookedUp: [String]
    }

    private static let layouts = [
        Layout(
            testDescription: "secret-tool, node-keytar", attributes: .generic,
            stored: ["service", "com.example.app", "account", "ann@example.com"],
            lookedUp: ["service", "com.example.app", "account", "ann@example.com"]),
        Layout(
            testDescription: "Python keyring", attributes: .pythonKeyring,
            stored: ["application", "Python keyring library", "service", "com.example.app", "username", "ann@example.com"],
            lookedUp: ["service", "com.example.app", "username", "ann@example.com"]),
        Layout(
            testDescription: "go-keyring", attributes: .goKeyring,
            stored: ["service", "com.example.app", "username", "ann@example.com"],
            lookedUp: ["service", "com.example.app", "username", "ann@example.com"]),
        Layout(
            testDescription: "keyring-rs", attributes: .keyringRS,
            stored: [
                "service", "com.example.app", "username", "ann@example.com", "target", "default", "application",
                "rust-keyring",
            ],
            lookedUp: ["service", "com.example.app", "username", "ann@example.com", "target", "default"]),
        Layout(
            testDescription: "KeePassXC", attributes: .keePassXC,
            stored: ["Title", "com.example.app", "UserName", "ann@example.com", "URL", "", "Notes", ""],
            lookedUp: ["Title", "com.example.app", "UserName", "ann@example.com"]),
        Layout(
            testDescription: "its own",
            attributes: SecretAttributes(service: "app", account: "login", fixed: ["kind": "token"], forNewItems: ["by": "us"]),
            stored: ["app", "com.example.app", "login", "ann@example.com", "kind", "token", "by", "them"],
            lookedUp: ["app", "com.example.app", "login", "ann@example.com", "kind", "token"]),
    ]

    @Test("In each layout we read, update in place and remove what others store, and they find what we store", arguments: layouts)
    func layout(_ layout: Layout) async throws {
        let desktop = try await desktops.start()
        let keyring = keyring(desktop, layout.attributes)
        let stored = try await desktop.secretTool(["store", "--label=theirs"] + layout.stored, input: "theirs")
        #expect(stored.status == 0)
        #expect(try await keyring.read(id) == Secret("theirs".utf8))
        #expect(try await keyring.identifiers(inService: id.service) == [id])
        try await keyring.write(Secret("ours".utf8), for: id, label: "ours")
        #expect(try await desktop.secretTool(["lookup"] + layout.stored).output == "ours")
        try await keyring.remove(id)
        #expect(try await desktop.secretTool(["lookup"] + layout.lookedUp).status == 1)

        try await keyring.write(Secret("new".utf8), for: id, label: "ours")
        #expect(try await desktop.secretTool(["lookup"] + layout.lookedUp).output == "new")
        for (name, value) in layout.attributes.forNewItems {
            let found = try await desktop.secretTool(["lookup", name, value] + layout.lookedUp)
            #expect(found.output == "new", "\(name) is not \(value)")
        }
    }

    @Test(
        "A Python program with keyring reads, changes and removes what we store, and we what it stores, and hear of it",
        .enabled(if: Python.isAvailable, "\(Python.skipReason)"))
    func python() async throws {
        let desktop = try await desktops.start()
        let token = SecurelyStoredValue<String>(
            key: id.account, service: id.service, keyring: keyring(desktop, .pythonKeyring))
        let values = Collector(token.values)
        func python(_ command: String, _ rest: String..., input: String = "") async throws -> (status: Int32, output: String) {
            let arguments = rest.map { " \($0)" }.joined()
            return try await desktop.shell(
                Python.command("keyring_client.py", command, id.service, id.account) + arguments, input: input)
        }
        #expect(try await python("get").status == 1)
        try await values.wait(for: [nil])

        #expect(try await python("set", input: "snake é").status == 0)
        try await values.wait(untilLast: "snake é")
        try await token.set("bird")
        #expect(try await python("get").output == "bird")
        #expect(try await python("set", input: "snake 2").status == 0)
        try await values.wait(untilLast: "snake 2")
        #expect(try await token.load() == "snake 2")
        #expect(try await python("delete").status == 0)
        try await values.wait(untilLast: nil)
        #expect(values.elements == [nil, "snake é", "bird", "snake 2", nil])

        try await token.set("bird")
        #expect(try await python("get").output == "bird")
        #expect(try await python("set", input: "snake 3").status == 0)  // of an item that we made
        #expect(try await token.load() == "snake 3")
        #expect(try await python("get").output == "snake 3")
        try await token.reset()
        #expect(try await python("get").status == 1)

        #expect(try await python("count", "40").status == 0)
        try await values.wait(untilLast: "40")
    }

    @Test("That several items are found is said once for a secret, and neither secret nor value stands in the log")
    func several() async throws {
        let desktop = try await desktops.start()
        for extra in ["1", "2", "3"] {
            try await desktop.secretTool(
                ["store", "--label=l", "service", id.service, "account", id.account, "extra", extra], input: "hunter2-\(extra)")
        }
        let address = desktop.address
        await #expect(processExitsWith: .success) { [address = address as String] in
            LoggingSystem.bootstrap { _ in
                var handler = RecordingLogHandler()
                handler.logLevel = .trace
                return handler
            }
            let id = SecretIdentifier(service: "com.example.app", account: "ann@example.com")
            let keyring = SecretServiceKeyring(deadline: hangLimit, busAddress: address)
            for _ in 0..<3 { #expect(try await keyring.read(id) != nil) }
            try await keyring.write(Secret("hunter2-4".utf8), for: id, label: "l")
            try await keyring.remove(id)
            #expect(try await keyring.read(id) == nil)
            let log = RecordingLogHandler.takeLines()
            #expect(log.count == 1, "\(log)")
            #expect(log.first?.contains("3 items") == true && log.first?.contains("hunter2") == false)
        }
    }
}

import Foundation
import Observation
import Testing

@testable import StoredValues

/// What is heard of a real daemon. One after the other, as all tests that stop or kill daemons.
@Suite(
    "Changes of the desktop's keyring", .serialized, .hangLimit,
    .enabled(if: PrivateDesktop.isAvailable, "\(PrivateDesktop.skipReason)"))
struct SecretServiceHearingTests {
    private let desktops = PrivateDesktops()
    private let id = SecretIdentifier(service: "com.example.app", account: "authToken")
}

extension SecretServiceHearingTests {
    private func token(_ desktop: PrivateDesktop) -> SecurelyStoredValue<String> {
        SecurelyStoredValue(key: id.account, service: id.service, keyring: desktop.keyring())
    }

    private func store(_ text: String, _ desktop: PrivateDesktop) async throws {
        let stored = try await desktop.secretTool(
            "store", "--label=theirs", "service", id.service, "account", id.account, input: text
        )
        #expect(stored.status == 0)
    }

    @Test("What secret-tool stores, changes and clears comes by itself, once each, and an equal secret not at all")
    func secretTool() async throws {
        let desktop = try await desktops.start()
        let values = Collector(token(desktop).values)
        try await values.wait(for: [nil])
        for text in ["one", "one", "two"] { try await store(text, desktop) }
        try await values.wait(untilLast: "two")
        try await desktop.secretTool("clear", "service", id.service, "account", id.account)
        try await eventually("the removal") { values.elements.last == .some(nil) && values.elements.count > 2 }
        #expect([[nil, "one", "two", nil], [nil, "two", nil]].contains(values.elements))
    }

    @Test("Of changes that another process makes without a pause some arrive meanwhile and the last one does; none twice")
    func storm() async throws {
        let desktop = try await desktops.start()
        let token = token(desktop)
        let values = Collector(token.values)
        try await values.wait(for: [nil])
        let script = """
            number=0
            until [ $number -ge 30 ] && [ -e "$HOME/heard" ] || [ $number -ge 20000 ] || [ ! -d "$HOME" ]; do
                number=$((number + 1))
                printf $number | secret-tool store --label=theirs service \(id.service) account \(id.account)
            done
            printf $number
            """
        async let storm = desktop.shell(script)
        try await eventually("some are heard") { values.elements.count > 3 }
        try await desktop.shell("touch \"$HOME/heard\"")
        try await values.wait(untilLast: storm.output)
        let numbers = values.elements.dropFirst().compactMap { $0.flatMap(Int.init) }
        #expect(numbers == Set(numbers).sorted() && numbers.count == values.elements.count - 1)
    }

    @Test("Locking drops the copy and is observed; unlocking brings it back without a call")
    func locking() async throws {
        let desktop = try await desktops.start()
        let token = token(desktop)
        try await token.set("kept")
        let values = Collector(token.values)
        try await values.wait(for: ["kept"])
        let seen = Collector(Observations { token.status })
        try await desktop.lock()
        // Not by asking the token, which would make it ask the keyring.
        try await eventually("the lock shows") { seen.elements.last == .unavailable(.locked) }
        #expect(token.wrappedValue == nil)
        try await desktop.unlock()
        try await eventually("the token is back") { seen.elements.last == .value }
        #expect(token.wrappedValue == "kept")
        try await store("the end", desktop)
        try await values.wait(for: ["kept", "the end"])
    }

    @Test("Locks and unlocks are announced as such, by any keyring on the bus")
    func announcements() async throws {
        let desktop = try await desktops.start()
        let changes = Collector(desktop.keyring().changes)
        try await eventually("listening has begun") { changes.elements == [.anySecret] }
        try await desktop.lock()
        try await eventually("the lock") { changes.elements.contains(.locked) }
        #expect(!changes.elements.contains(.unlocked))
        try await desktop.unlock()
        try await eventually("the unlock") { changes.elements.contains(.unlocked) }
        try await desktop.killDaemon()
        try await eventually("the end") { changes.elements.contains(.unavailable(.noSecretService)) }
    }

    @Test("A change of one of several items of a secret is heard like any other")
    func severalItems() async throws {
        let desktop = try await desktops.start()
        for extra in ["1", "2"] {
            try await desktop.secretTool(
                "store", "--label=theirs", "service", id.service, "account", id.account, "extra", extra, input: "theirs")
        }
        #expect(try await desktop.itemPaths(service: id.service, account: id.account).count == 2)
        let changes = Collector(desktop.keyring().changes)
        try await eventually("listening has begun") { changes.elements == [.anySecret] }
        // By the same bus under another name, as another process does it: only the signal of gnome-keyring tells of it.
        let other = SecretServiceKeyring(deadline: hangLimit, busAddress: "\(desktop.address);\(desktop.address)")
        try await other.write(Secret("ours".utf8), for: id, label: "label")
        try await eventually("it is heard") { changes.elements.count > 1 }
        #expect(try await desktop.keyring().read(id) == Secret("ours".utf8))
    }

    @Test("The daemon's end shows; the next daemon's secrets and their changes are detected")
    func daemonRestart() async throws {
        let desktop = try await desktops.start()
        let token = token(desktop)
        try await token.set("kept")
        let values = Collector(token.values)
        try await values.wait(for: ["kept"])
        for text in ["one", "two"] {
            try await desktop.killDaemon()
            try await eventually("the end shows") { token.status == .unavailable(.noSecretService) }
            try await desktop.startDaemon()
            try await eventually("the secret is back") { token.status == .value }
            try await store(text, desktop)
            try await values.wait(untilLast: text)
        }
        #expect(values.elements == ["kept", "one", "two"])
    }

    @Test("The bus's end shows; the next bus is found and used")
    func busRestart() async throws {
        let desktop = try await desktops.start()
        let token = token(desktop)
        try await token.set("kept")
        let values = Collector(token.values)
        try await values.wait(for: ["kept"])
        try await desktop.killBus()
        try await eventually("the end shows") { token.status == .unavailable(.noSessionBus) }
        try await desktop.killDaemon()  // gnome-keyring ends with its bus anyway
        try await desktop.startBus()
        try await desktop.startDaemon()
        try await eventually("the secret is back") { token.status == .value }
        try await store("changed", desktop)
        try await values.wait(untilLast: "changed")
        #expect(values.elements == ["kept", "changed"])
    }

    @Test("Listening ends with the last live secret: nothing of it stays on the bus")
    func end() async throws {
        let desktop = try await desktops.start()
        #expect(try await desktop.keyring().read(id) == nil)  // the connection for calls stays
        let before = try await desktop.connectionCount()
        for _ in 0..<20 {
            let token = token(desktop)
            #expect(try await token.load() == nil)
            try await eventually("it listens") { try await desktop.connectionCount() == before + 1 }
        }
        try await eventually("nobody listens") { try await desktop.connectionCount() == before }
    }
}

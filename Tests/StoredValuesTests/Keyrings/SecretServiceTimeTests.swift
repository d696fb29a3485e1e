import Foundation
import StoredValues
import StoredValuesSupport
import Testing

@testable import StoredValuesSecretService

/// How long calls take when the daemon hangs, and what becomes of them when it is killed. One after the other: a
/// stopped daemon holds up the thread that all keyrings share.
@Suite(
    "The desktop's keyring in time", .serialized, .hangLimit,
    .enabled(if: PrivateDesktop.isAvailable, "\(PrivateDesktop.skipReason)"))
struct SecretServiceTimeTests {
    private let desktops = PrivateDesktops()
    private let id = SecretIdentifier(service: "com.example.app", account: "token")
}

extension SecretServiceTimeTests {
    private static let calls: [@Sendable (SecretServiceKeyring, SecretIdentifier) async throws -> Void] = [
        { _ = try await $0.read($1) },
        { try await $0.write(Secret("s3cret".utf8), for: $1, label: "label") },
        { try await $0.remove($1) },
        { _ = try await $0.identifiers(inService: $1.service) },
        { keyring, _ in try await keyring.unlock() },
    ]

    @Test("With a daemon that hangs every call ends at the default deadline of 5 s")
    func defaultDeadline() async throws {
        let desktop = try await desktops.start()
        let keyring = SecretServiceKeyring(busAddress: desktop.address)
        try await desktop.keyring().write(Secret("kept".utf8), for: id, label: "label")
        desktop.signalDaemon(SIGSTOP)
        defer { desktop.signalDaemon(SIGCONT) }
        let times = await withTaskGroup { group in
            for call in Self.calls {
                group.addTask {
                    await elapsed {
                        await #expect(throws: KeyringError.timedOut(after: .seconds(5))) { try await call(keyring, id) }
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(times.allSatisfy { $0 >= .seconds(5) }, "\(times)")
    }

    @Test(
        "Each kind of call ends long before its deadline when it is cancelled while the daemon hangs, and works when it continues",
        arguments: calls.indices)
    func cancellation(_ index: Int) async throws {
        let desktop = try await desktops.start()
        let keyring = desktop.keyring(deadline: .seconds(3600))
        #expect(try await keyring.read(id) == nil)
        desktop.signalDaemon(SIGSTOP)
        defer { desktop.signalDaemon(SIGCONT) }
        for _ in 0..<10 { await expectCancelled { [id] in try await Self.calls[index](keyring, id) } }
        desktop.signalDaemon(SIGCONT)
        try await Self.calls[index](keyring, id)
    }

    @Test("Once it has answered, a getter waits for nothing, whatever the daemon does")
    func getter() async throws {
        let desktop = try await desktops.start()
        let keyring = desktop.keyring(deadline: .seconds(2))
        let token = SecurelyStoredValue<String>(key: id.account, service: id.service, keyring: keyring)
        try await eventually("it is stored in time") { (try? await token.set("s3cret")) != nil }
        desktop.signalDaemon(SIGSTOP)
        defer { desktop.signalDaemon(SIGCONT) }
        // Unless our own signal had it read once more, and that has ended at its deadline already.
        let value = token.wrappedValue
        #expect(value == "s3cret" || token.status == .unavailable(.timedOut(after: .seconds(2))))
        await expectSecretError(.timedOut(after: .seconds(2))) { try await token.load() }
        let times = (0..<20).map { _ in ContinuousClock().measure { #expect(token.wrappedValue == nil) } }
        #expect(try #require(times.min()) < .seconds(2), "each waits for the deadline: \(times)")
        #expect(token.status == .unavailable(.timedOut(after: .seconds(2))))
        desktop.signalDaemon(SIGCONT)
        try await eventually("it is back") { token.wrappedValue == "s3cret" }
    }

    @Test("Getters on every thread of the cooperative pool get their secrets")
    func blockedPool() async throws {
        let desktop = try await desktops.start()
        let keyring = desktop.keyring()
        let count = ProcessInfo.processInfo.activeProcessorCount * 4
        for number in 0..<count {
            try await keyring.write(Secret("v".utf8), for: .init(service: "pool", account: "\(number)"), label: "")
        }
        // Again where the machine takes the five seconds that a getter waits for.
        try await eventually("all have them") {
            let values = await withTaskGroup { group in
                for number in 0..<count {
                    group.addTask { SecurelyStoredValue<String>(key: "\(number)", service: "pool", keyring: keyring).wrappedValue }
                }
                return await group.reduce(into: [String?]()) { $0.append($1) }
            }
            return values == Array(repeating: "v", count: count)
        }
    }

    @Test("A daemon killed at any moment costs at most the write under way, and never an acknowledged one")
    func killed() async throws {
        let desktop = try await desktops.start()
        let keyring = desktop.keyring()
        try await keyring.write(Secret("0".utf8), for: id, label: "label")
        let id = id
        var (stored, last) = (0, 0)
        for round in 0..<8 {
            let (before, first) = (stored, last)
            let attempts = Guarded(0)
            // What was acknowledged, and what may have happened besides.
            let writer = Task {
                var (acknowledged, possible, number) = (before, Set<Int>(), first)
                while !Task.isCancelled {
                    number += 1
                    attempts.withLock { $0 += 1 }
                    do {
                        try await keyring.write(Secret("\(number)".utf8), for: id, label: "label")
                        (acknowledged, possible) = (number, [])
                    } catch KeyringError.other, KeyringError.timedOut, KeyringError.cancelled {
                        possible.insert(number)
                    } catch {}
                }
                return (acknowledged, possible, number)
            }
            let moment = Int.random(in: 1...20)
            try await eventually("so many writes") { attempts.withLock { $0 } >= moment }
            try await desktop.killDaemon()
            try await desktop.startDaemon()
            writer.cancel()
            let (acknowledged, possible, number) = await writer.value
            let found = try #require(try await keyring.read(id)).withBytes { Int(String(decoding: $0, as: UTF8.self)) }
            stored = try #require(found)
            #expect(stored == acknowledged || possible.contains(stored), "round \(round): \(stored), not \(acknowledged)")
            #expect(try await desktop.itemPaths(service: id.service, account: id.account).count == 1)
            last = number
        }
    }

    @Test("A write whose daemon is killed while it hangs is not reported done, and the next one works")
    func killedWhileHanging() async throws {
        let desktop = try await desktops.start()
        let keyring = desktop.keyring()
        try await keyring.write(Secret("before".utf8), for: id, label: "label")
        desktop.signalDaemon(SIGSTOP)
        let id = id
        let executor = QueueExecutor()
        let write = Task(executorPreference: executor) {
            try await keyring.write(Secret("during".utf8), for: id, label: "label")
        }
        await executor.allWaiting()
        try await desktop.killDaemon()
        await #expect(throws: KeyringError.self) { try await write.value }
        try await desktop.startDaemon()
        #expect(try await keyring.read(id) == Secret("before".utf8))
        try await keyring.write(Secret("after".utf8), for: id, label: "label")
        #expect(try await keyring.read(id) == Secret("after".utf8))
    }
}

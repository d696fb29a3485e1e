import Foundation
import StoredValuesSupport
import Testing

@testable import StoredValues

@Suite("Moving secrets", .hangLimit)
struct SecretMoveTests {}

extension SecretMoveTests {
    private typealias Contents = [SecretIdentifier: [UInt8]]

    private func id(_ account: String, in service: String = "s") -> SecretIdentifier {
        SecretIdentifier(service: service, account: account)
    }

    private func put(_ contents: Contents, in keyring: some Keyring) async throws {
        for (id, bytes) in contents { try await keyring.write(Secret(bytes), for: id, label: "") }
    }

    private func contents(of keyring: some Keyring) async throws -> Contents {
        var contents: Contents = [:]
        for service in ["s", "other"] {
            for id in try await keyring.identifiers(inService: service) {
                contents[id] = try await keyring.read(id)?.withBytes { Array($0) }
            }
        }
        return contents
    }

    private var secrets: Contents { [id("a"): [1], id("b"): [], id("c"): [3, 0, 255]] }
    /// What is at the destination before: a secret of another name, and one that an earlier move copied.
    private var before: Contents { [id("z"): [26], id("c"): [3, 0, 255]] }

    @Test("All secrets of the service move, and the report says which; other services stay")
    func move() async throws {
        let source = InMemoryKeyring(), destination = InMemoryKeyring()
        try await put(secrets, in: source)
        try await put([id("a", in: "other"): [7]], in: source)
        try await put(before, in: destination)
        let report = try await source.moveSecrets(inService: "s", to: destination)
        #expect(report.copied == [id("a"), id("b")])
        #expect(report.alreadyThere == [id("c")])
        #expect(try await contents(of: source) == [id("a", in: "other"): [7]])
        #expect(try await contents(of: destination) == secrets.merging(before) { one, _ in one })
        let again = try await source.moveSecrets(inService: "s", to: destination)
        #expect(again == MovedSecrets(copied: [], alreadyThere: []))
    }

    @Test("From and to an encrypted file")
    func files() async throws {
        try await withTemporaryFolder { folder in
            func keyring(_ path: String) -> EncryptedFileKeyring {
                EncryptedFileKeyring(path: path, key: .generatedFile(path + ".key"), deadline: hangLimit)
            }
            let source = keyring(folder + "/a"), destination = keyring(folder + "/b")
            try await put(secrets, in: source)
            #expect(try await source.moveSecrets(inService: "s", to: destination).copied.count == 3)
            #expect(try await contents(of: destination) == secrets)
            #expect(try await contents(of: source) == [:])
        }
    }

    @Test("A secret that differs at the destination is named, and nothing is changed, unless told to overwrite")
    func conflict() async throws {
        let source = InMemoryKeyring(), destination = InMemoryKeyring()
        try await put(secrets, in: source)
        try await put([id("b"): [99]], in: destination)
        await #expect(throws: SecretMoveError.conflict(id("b"))) { try await source.moveSecrets(inService: "s", to: destination) }
        #expect(try await contents(of: source) == secrets)
        #expect(try await contents(of: destination) == [id("b"): [99]])
        let report = try await source.moveSecrets(inService: "s", to: destination, overwriting: true)
        #expect(report.copied == [id("a"), id("b"), id("c")])
        #expect(try await contents(of: destination) == secrets)
        #expect(try await contents(of: source) == [:])
    }

    @Test(
        "Whichever call fails, before or after its work, alone or with all that follow: nothing is lost or overwritten, and moving again finishes",
        arguments: FailingKeyring.Plan.Moment.allCases, [true, false])
    func failures(moment: FailingKeyring.Plan.Moment, isAlone: Bool) async throws {
        var number = 0
        var isFailing = true
        while isFailing {
            let plan = FailingKeyring.Plan()
            let source = FailingKeyring(plan: plan), destination = FailingKeyring(plan: plan)
            try await put(secrets, in: source.inner)
            try await put(before, in: destination.inner)
            plan.fail(number..<(isAlone ? number + 1 : .max), moment)
            do {
                _ = try await source.moveSecrets(inService: "s", to: destination)
                isFailing = false
                #expect(plan.calls == number)
            } catch {
                let left = try await contents(of: source.inner), there = try await contents(of: destination.inner)
                for (id, bytes) in secrets { #expect(left[id] == bytes || there[id] == bytes, "call \(number): \(id)") }
                for (id, bytes) in left { #expect(secrets[id] == bytes) }
                for (id, bytes) in there { #expect((before[id] ?? secrets[id]) == bytes) }
                for (id, bytes) in before { #expect(there[id] == bytes) }
                // Nothing is removed before everything is there.
                if left.count < secrets.count { #expect(Set(secrets.keys).isSubset(of: there.keys)) }
                plan.fail(0..<0, moment)
                try await source.moveSecrets(inService: "s", to: destination)
            }
            #expect(try await contents(of: source.inner) == [:])
            #expect(try await contents(of: destination.inner) == secrets.merging(before) { one, _ in one })
            number += 1
        }
        #expect(number > 25, "too few calls were made to have tried every step")
    }

    @Test("A destination that keeps other bytes gets nothing removed for it")
    func forgetful() async throws {
        let source = InMemoryKeyring()
        try await put(secrets, in: source)
        await #expect(throws: SecretMoveError.notKept(id("a"))) {
            try await source.moveSecrets(inService: "s", to: Forgetful())
        }
        #expect(try await contents(of: source) == secrets)
    }

    @Test("A keyring is not moved to itself, not even under another name")
    func sameKeyring() async throws {
        let keyring = InMemoryKeyring()
        try await put(secrets, in: keyring)
        await #expect(throws: SecretMoveError.sameKeyring) { try await keyring.moveSecrets(inService: "s", to: keyring) }
        // These two do not look the same.
        let fallback = FallbackKeyring([InMemoryKeyring(), keyring])
        await #expect(throws: SecretMoveError.sameKeyring) { try await keyring.moveSecrets(inService: "s", to: fallback) }
        #expect(try await contents(of: keyring) == secrets)
        let plan = FailingKeyring.Plan()
        let inner = FailingKeyring(plan: plan)
        try await put(secrets, in: inner.inner)
        await #expect(throws: SecretMoveError.sameKeyring) { try await inner.moveSecrets(inService: "s", to: inner.inner) }
        #expect(try await contents(of: inner.inner) == secrets)
    }

    @Test("A secret that both fallbacks have in a keyring of both is in the destination's own one after that")
    func commonFallback() async throws {
        let (one, two, common) = (InMemoryKeyring(), InMemoryKeyring(), InMemoryKeyring())
        try await put(secrets, in: common)
        let destination = FallbackKeyring([two, common])
        try await FallbackKeyring([one, common]).moveSecrets(inService: "s", to: destination)
        #expect(try await contents(of: destination) == secrets)
        for source in [one, common] { #expect(try await contents(of: source) == [:]) }
    }

    @Test("An item that both keyrings find is stored again, also where its removal was made and the answer was an error")
    func sharedItem() async throws {
        let destination = InMemoryKeyring(), source = RemovingBoth(destination)
        try await put(secrets, in: source.inner)
        await #expect(throws: SecretMoveError.source(.cancelled)) { try await source.moveSecrets(inService: "s", to: destination) }
        #expect(try await contents(of: destination) == secrets)
    }

    @Test("A read-only source keeps its secrets and says so")
    func readOnly() async throws {
        try await withTemporaryFolder { folder in
            try Data([1]).write(to: URL(fileURLWithPath: folder + "/a"))
            let source = CredentialsKeyring(path: folder, deadline: hangLimit)
            let destination = InMemoryKeyring()
            await #expect(throws: SecretMoveError.source(.readOnly)) { try await source.moveSecrets(inService: "s", to: destination) }
            #expect(try await source.read(id("a")) == Secret([1]))
            #expect(try await contents(of: destination).isEmpty, "nothing is copied that could not be removed")
        }
    }

    @Test(
        "What another process stores while the move waits for the lock is neither removed nor overwritten", arguments: [true, false])
    func changedMeanwhile(atSource: Bool) async throws {
        let contended = Contended(id("a")) { [id = id("a")] inner throws(KeyringError) in try await inner.write(Secret([9]), for: id, label: "") }
        let other = InMemoryKeyring()
        try await put([id("a"): [1]], in: atSource ? contended.inner : other)
        await #expect(throws: SecretMoveError.conflict(id("a"))) {
            if atSource {
                try await contended.moveSecrets(inService: "s", to: other)
            } else {
                try await other.moveSecrets(inService: "s", to: contended)
            }
        }
        #expect(try await contents(of: contended.inner) == [id("a"): [9]])
        #expect(try await contents(of: other) == [id("a"): [1]])
        guard atSource else { return }
        try await contended.moveSecrets(inService: "s", to: other, overwriting: true)
        #expect(try await contents(of: contended.inner) == [:])
        #expect(try await contents(of: other) == [id("a"): [9]])
    }

    @Test("A secret that another program has removed at the destination stays in the source, and is not called different there")
    func removedMeanwhile() async throws {
        let other = InMemoryKeyring()
        let contended = Contended(id("a")) { [id = id("a")] _ throws(KeyringError) in try await other.remove(id) }
        try await put([id("a"): [1]], in: contended.inner)
        await #expect(throws: SecretMoveError.notKept(id("a"))) { try await contended.moveSecrets(inService: "s", to: other) }
        #expect(try await contents(of: contended.inner) == [id("a"): [1]])
    }

    @Test("A move that is cancelled while it tries both keyrings leaves nothing in either, and names the one that failed", arguments: [true, false])
    func cancelled(atSource: Bool) async throws {
        let slow = WaitingForCancellation(), other = InMemoryKeyring()
        try await put([id("a"): [1]], in: atSource ? slow.inner : other)
        let moving = Task {
            if atSource {
                try await slow.moveSecrets(inService: "s", to: other)
            } else {
                try await other.moveSecrets(inService: "s", to: slow)
            }
        }
        await slow.isAsked.wait(cancelled: ())
        moving.cancel()
        await #expect(throws: atSource ? SecretMoveError.source(.cancelled) : .destination(.cancelled)) { try await moving.value }
        for keyring in [slow.inner, other] {
            #expect(try await keyring.identifiers(inService: "stored-values-move") == [])
        }
    }
}

/// A keyring of which another process always has the lock of one secret, under which it changes something before it lets go.
private final class Contended: ForwardingKeyring {
    typealias Change = @Sendable (InMemoryKeyring) async throws(KeyringError) -> Void

    let inner = InMemoryKeyring()
    private let contested: SecretIdentifier
    private let change: Change

    init(_ contested: SecretIdentifier, _ change: @escaping Change) { (self.contested, self.change) = (contested, change) }

    func locked(for id: SecretIdentifier) async throws(KeyringError) -> any Keyring {
        if id == contested { try await change(inner) }
        return inner
    }

    func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) {
        try await locked(for: id).write(secret, for: id, label: label)
    }

    func remove(_ id: SecretIdentifier) async throws(KeyringError) { try await locked(for: id).remove(id) }
}

/// A keyring that answers only when the move is cancelled, if it is asked for what that has written elsewhere.
private final class WaitingForCancellation: ForwardingKeyring {
    let inner = InMemoryKeyring()
    let isAsked = OneShot<Void>()

    func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? {
        if id.service == "stored-values-move" {
            isAsked.answer(())
            while !Task.isCancelled { await Task.yield() }
        }
        return try await inner.read(id)
    }
}

/// A keyring whose items another one finds, too: each removal concerns both, and its answer is lost.
private final class RemovingBoth: ForwardingKeyring {
    let inner = InMemoryKeyring()
    private let other: InMemoryKeyring

    init(_ other: InMemoryKeyring) { self.other = other }

    func locked(for id: SecretIdentifier) async throws(KeyringError) -> any Keyring { self }

    func remove(_ id: SecretIdentifier) async throws(KeyringError) {
        try await inner.remove(id)
        guard id.service == "s" else { return }
        try await other.remove(id)
        throw .cancelled
    }
}

/// A keyring that takes every secret and keeps nothing of it.
private struct Forgetful: Keyring, Hashable {
    func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? { nil }
    func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) {}
    func remove(_ id: SecretIdentifier) async throws(KeyringError) {}
}

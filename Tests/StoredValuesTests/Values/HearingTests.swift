import Dispatch
import StoredValuesSupport
import Testing

@testable import StoredValues

@Suite("Changes of a live secret", .hangLimit)
struct HearingTests {}

extension HearingTests {
    private func token(_ keyring: some Keyring, _ id: SecretIdentifier) -> SecurelyStoredValue<String> {
        SecurelyStoredValue(key: id.account, service: id.service, keyring: keyring)
    }

    @Test("What others change comes once per change, ours too, and an equal value not at all", arguments: KeyringUnderTest.available.filter { $0.reportsChanges })
    func changes(_ subject: KeyringUnderTest) async throws {
        let keyring = try await subject.open()
        let id = SecretIdentifier(service: "com.example.hearing", account: "token")
        let token = token(keyring, id)
        let values = Collector(token.values)
        try await values.wait(for: [nil])
        try await keyring.write(Secret("theirs".utf8), for: id, label: "label")  // past the wrapper
        try await values.wait(for: [nil, "theirs"])
        #expect(token.wrappedValue == "theirs" && token.status == .value)
        try await token.set("ours")
        try await keyring.write(Secret("ours".utf8), for: id, label: "label")
        try await keyring.write(Secret("last".utf8), for: id, label: "label")
        try await values.wait(untilLast: "last")
        try await token.reset()
        try await keyring.remove(id)
        try await token.set("end")
        try await values.wait(untilLast: "end")
        #expect(values.elements == [nil, "theirs", "ours", "last", nil, "end"])
    }

    @Test("A lock drops the copy at once and is seen in the status; unlocking brings the value back without a call")
    func locking() async throws {
        final class Letter: Codable, Sendable {
            let text: String
            init(_ text: String) { self.text = text }
        }
        let keyring = InMemoryKeyring()
        let letter = SecurelyStoredValue<Letter>(key: "letter", service: "s", keyring: keyring)
        let arrivals = Guarded(0)
        let reader = Task { for await _ in letter.values { arrivals.withLock { $0 += 1 } } }
        defer { reader.cancel() }
        try await letter.set(Letter("dear"))
        try await eventually("the reader has it") { arrivals.withLock { $0 } >= 1 && letter.wrappedValue != nil }
        weak let copy = letter.wrappedValue
        #expect(copy != nil)
        keyring.inject(.locked)
        try await eventually("the lock shows") { letter.status == .unavailable(.locked) }
        #expect(letter.wrappedValue == nil)
        try await eventually("no copy is left") { copy == nil }
        keyring.inject(nil)
        try await eventually("the letter is back") { letter.wrappedValue?.text == "dear" }
        keyring.inject(.gone)
        try await eventually("the absence shows") { letter.status == .unavailable(.noSecretService) }
    }

    @Test("Only secrets that were read before are read again after a change")
    func unasked() async throws {
        let keyring = SteeredKeyring()
        let token = token(keyring, SecretIdentifier(service: "s", account: "t"))
        let other = SecurelyStoredValue<String>(key: "other", service: "s", keyring: keyring)
        #expect(token.description != other.description)
        #expect(try await other.load() == nil)
        keyring.secret = Secret("new".utf8)
        keyring.broadcaster.announce(.anySecret)
        try await eventually("the change was heard") { other.wrappedValue == "new" }
        #expect(Set(keyring.accountsRead) == ["other"])
    }

    @Test("Another process's change is detected, although a change of ours outdated the read that would have found it")
    func outdatedReading() async throws {
        let keyring = SteeredKeyring()
        let token = SecurelyStoredValue<String>(key: "t", service: "s", keyring: keyring)
        try await token.load()
        keyring.holdReads()
        keyring.broadcaster.announce(.anySecret)
        try await eventually("a read is held up") { keyring.isHolding }
        try await token.set("ours")
        keyring.secret = Secret("theirs".utf8)
        keyring.release()
        try await eventually("it is read once more") { token.wrappedValue == "theirs" }
    }

    @Test("However many secrets of a keyring are live, it is listened to once; with the last one listening ends")
    func oneListener() async throws {
        let keyring = SteeredKeyring()
        do {
            let tokens = (0..<10).map { token(keyring, SecretIdentifier(service: "s", account: "\($0)")) }
            for token in tokens { #expect(try await token.load() == nil) }
            #expect(keyring.broadcaster.listenerCount == 1)
        }
        try await eventually("nobody listens") { keyring.broadcaster.listenerCount == 0 }
    }

    @Test("A change that comes while the secret is being read is read too")
    func changeDuringRead() async throws {
        let keyring = SteeredKeyring()
        keyring.secret = Secret("old".utf8)
        let token = token(keyring, SecretIdentifier(service: "s", account: "t"))
        keyring.holdReads()
        let loading = Task { try await token.load() }
        try await eventually("the keyring was read") { keyring.isHolding }
        keyring.secret = Secret("new".utf8)
        keyring.release()
        keyring.broadcaster.announce(.anySecret)
        _ = try await loading.value
        try await eventually("the change was heard") { token.wrappedValue == "new" }
    }

    @Test("As soon as a call has returned, and its wrapper is gone, the secret may be read as another type")
    func otherTypeAtOnce() async {
        await #expect(processExitsWith: .success) {
            for _ in 0..<500 {
                let keyring = InMemoryKeyring()
                _ = try await SecurelyStoredValue<Int>(key: "k", service: "s", keyring: keyring).load()
                _ = try await SecurelyStoredValue<Bool>(key: "k", service: "s", keyring: keyring).load()
            }
        }
    }

    @Test("It is noticed when a keyring that hung continues, although it sends no signal")
    func hung() async throws {
        let keyring = InMemoryKeyring(deadline: .milliseconds(100))
        let id = SecretIdentifier(service: "s", account: "t")
        try await keyring.write(Secret("kept".utf8), for: id, label: "")
        keyring.inject(.slow(.seconds(3600)))
        let token = token(keyring, id)
        let values = Collector(token.values)
        try await eventually("it has hung") { token.status == .unavailable(.timedOut(after: .milliseconds(100))) }
        keyring.inject(nil)
        try await values.wait(for: ["kept"])
    }

    @Test("A keyring that hangs when it is listened to holds up no call that is cancelled; when it goes on, what was missed is read")
    func hangingSubscription() async throws {
        /// It has to wait before it reports changes, as for a disk.
        struct Hanging: ForwardingKeyring {
            let inner = InMemoryKeyring()
            let begins = OneShot<Void>()
            let disk = DispatchSemaphore(value: 0)
            var identity: any Hashable & Sendable { ObjectIdentifier(inner) }
            var changes: KeyringChanges {
                begins.answer(())
                disk.wait()
                return inner.changes
            }
        }
        let keyring = Hanging()
        let id = SecretIdentifier(service: "s", account: "t")
        let token = token(keyring, id)
        let values = Collector(token.values)
        let loading = Task {
            let start = ContinuousClock.now, result: Result<String?, any Error>
            do { result = .success(try await token.load()) } catch { result = .failure(error) }
            return (result: result, time: ContinuousClock.now - start)
        }
        await keyring.begins.wait(cancelled: ())
        loading.cancel()
        let (result, time) = await loading.value
        // Where a busy machine has cancelled it too late, it has waited for 2 s, and then read.
        if time < .seconds(2) { #expect(throws: SecretError.self) { try result.get() } }
        // As soon as a reader has given up waiting, it has the answer without the changes.
        try await values.wait(for: [nil])
        try await keyring.write(Secret("missed".utf8), for: id, label: "")
        keyring.disk.signal()
        try await values.wait(for: [nil, "missed"])
    }

    @Test("What changes while a cancelled call still begins to watch a secret is read when it does")
    func cancelledWatch() async throws {
        let keyring = HangingWatch()
        let token = token(keyring, SecretIdentifier(service: "s", account: "t"))
        let loading = Task { try await token.load() }
        await keyring.begins.wait(cancelled: ())
        loading.cancel()
        // This keyring does not mind that the task is cancelled: the secret is known, and getters do not ask again.
        #expect(try await loading.value == nil)
        keyring.inner.secret = Secret("missed".utf8)
        keyring.disk.signal()
        try await eventually("it is read") { token.wrappedValue == "missed" }
    }

    @Test("A secret that could not begin to listen, because another one of the keyring hung, listens later, and what it missed is read")
    func watchBehindAnother() async throws {
        let keyring = HangingWatch()
        let first = token(keyring, SecretIdentifier(service: "s", account: "first"))
        let second = token(keyring, SecretIdentifier(service: "s", account: "second"))
        let loading = Task { try await first.load() }
        await keyring.begins.wait(cancelled: ())
        let values = Collector(second.values)
        try await values.wait(for: [nil])
        keyring.inner.secret = Secret("missed".utf8)
        for _ in 0..<10 { keyring.disk.signal() }  // more often than both are watched
        try await values.wait(for: [nil, "missed"])
        _ = try await loading.value
    }
}

/// It has to wait before it watches a secret, as for a disk, and reports no changes.
private struct HangingWatch: Keyring {
    let inner = SteeredKeyring()
    let begins = OneShot<Void>()
    let disk = DispatchSemaphore(value: 0)
    var description: String { inner.description }
    var identity: any Hashable & Sendable { ObjectIdentifier(inner) }
    var changes: KeyringChanges { .none }

    func watch(_ id: SecretIdentifier) -> (any Sendable)? {
        begins.answer(())
        disk.wait()
        return nil
    }

    func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? { try await inner.read(id) }
    func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) {
        try await inner.write(secret, for: id, label: label)
    }
    func remove(_ id: SecretIdentifier) async throws(KeyringError) { try await inner.remove(id) }
}

import StoredValues

extension KeyringCheck {
    func absence() async throws {
        try await expect(id(), reads: nil, "at the beginning")
        try await expectListed([], "at the beginning")
    }

    func roundTrip() async throws {
        let samples: [[UInt8]] = [
            [], [0], [0xFF], Array("a\0b".utf8), Array("🔑 né\n".utf8), [0xC3, 0x28], Array(0...255),
            (0..<65536).map { UInt8(truncatingIfNeeded: $0 &* 31) },
            (0..<Secret.sizeLimit).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) },
        ]
        for (number, sample) in samples.enumerated() {
            let id = id("sample \(number)")
            try await write(Secret(sample), id)
            try await expect(id, reads: Secret(sample), "after that was written")
            try await keyring.remove(id)
        }
    }

    func sizeLimit() async throws {
        let before = Secret("before".utf8)
        try await write(before, id())
        do throws(KeyringError) {
            try await keyring.write(Secret(count: Secret.sizeLimit + 1) { _ in }, for: id(), label: "a test of StoredValues")
            expect(false, "a secret of 1 MiB and 1 byte was written")
        } catch {
            expect(error == .tooLarge, "a secret of 1 MiB and 1 byte gets the error \(error), not .tooLarge")
        }
        try await expect(id(), reads: before, "after a secret was too large")
    }

    func replacing() async throws {
        for text in ["first", "a longer second", ""] {
            try await write(Secret(text.utf8), id())
            try await expect(id(), reads: Secret(text.utf8), "after it was written again")
        }
        try await expectListed([id()], "after three writes")
    }

    func removal() async throws {
        try await write(Secret([1]), id())
        try await keyring.remove(id())
        try await expect(id(), reads: nil, "after it was removed")
        try await keyring.remove(id())
        try await expectListed([], "after it was removed")
    }

    func alikeNames() async throws {
        let composed = id("caf\u{e9}"), decomposed = id("cafe\u{301}")
        try await write(Secret([1]), composed)
        try await expect(decomposed, reads: nil, "after one that looks alike was written")
        try await write(Secret([2]), decomposed)
        try await expect(composed, reads: Secret([1]), "after one that looks alike was written")
        if let listed = try await listed() { expect(listed.count == 2, "of two accounts that look alike, \(listed.count) are listed") }
        try await keyring.remove(composed)
        try await expect(decomposed, reads: Secret([2]), "after one that looks alike was removed")
        let suffixes = ["\u{e9}", "e\u{301}"]
        for suffix in suffixes { try await write(Secret(suffix.utf8), id(in: suffix)) }
        for suffix in suffixes {
            try await expect(id(in: suffix), reads: Secret(suffix.utf8), "in a service that looks like another one")
            try await expectListed([id(in: suffix)], in: suffix, "in a service that looks like another one")
        }
    }

    func neighbours() async throws {
        let neighbours = [id("token2"), id("tok"), id(in: ".other")]
        for neighbour in neighbours { try await write(Secret(neighbour.description.utf8), neighbour) }
        try await write(Secret([1]), id())
        try await keyring.remove(id())
        for neighbour in neighbours {
            try await expect(neighbour, reads: Secret(neighbour.description.utf8), "after another one was written and removed")
        }
    }

    func anyNames() async throws {
        let names = [
            "", " ", "🔑é", #"a "quoted" 'name'"#, "line\nline", "a/b/../c", #"back\slash"#, "%s=&", String(repeating: "n", count: 4096),
        ]
        for name in names {
            for id in [id(name), SecretIdentifier(service: "\(name).\(service)", account: "account")] {
                try await write(Secret(id.description.utf8), id)
                try await expect(id, reads: Secret(id.description.utf8), "after it was written")
            }
        }
        try await expectListed(names.sorted().map { id($0) }, "with names of all kinds")
    }

    func listing() async throws {
        for account in ["c", "a", "b"] { try await write(Secret([1]), id(account)) }
        try await write(Secret([1]), id("d", in: "x"))
        try await expectListed(["a", "b", "c"].map { id($0) }, "with others in a service whose name begins alike")
        try await expectListed([], in: "y", "in a service without secrets")
    }

    func removingAll() async throws {
        let own = ["a", "b", "café"].map { id($0) }, other = id("a", in: "2")
        for id in own + [other] { try await write(Secret([1]), id) }
        guard try await listed() != nil else { return }
        let removed = try await keyring.removeAll(inService: service)
        expect(removed == own, "removeAll(inService:) returns the accounts \(removed.map(\.account)), not \(own.map(\.account))")
        try await expectListed([], "after all were removed")
        let again = try await keyring.removeAll(inService: service)
        expect(again.isEmpty, "removeAll(inService:) removes secrets that were removed before")
        try await expect(other, reads: Secret([1]), "after those of a service whose name begins alike were removed")
    }

    func cancellation() async throws {
        try await write(Secret([1]), id())
        for (name, call) in calls {
            let error = await Task { () -> KeyringError? in
                withUnsafeCurrentTask { $0?.cancel() }
                do throws(KeyringError) {
                    try await call()
                    return nil
                } catch {
                    return error
                }
            }.value
            // The default implementations do nothing, and do not check for cancellation.
            let isDefault = name == "unlock" && error == nil || name == "identifiers" && error?.isNotImplemented == true
            expect(error == .cancelled || isDefault, "in a cancelled task, \(name) \(error.map { "throws \($0)" } ?? "succeeds")")
        }
        try await expect(id(), reads: Secret([1]), "after calls in a cancelled task")
    }

    private typealias Call = @Sendable () async throws(KeyringError) -> Void

    /// The calls that ask the keyring, by their names.
    private var calls: [(name: String, call: Call)] {
        let keyring = keyring, id = id()
        return [
            ("read", { () async throws(KeyringError) in _ = try await keyring.read(id) }),
            ("identifiers", { () async throws(KeyringError) in _ = try await keyring.identifiers(inService: id.service) }),
            ("write", { () async throws(KeyringError) in try await keyring.write(Secret([2]), for: id, label: "a test of StoredValues") }),
            ("remove", { () async throws(KeyringError) in try await keyring.remove(id) }),
            ("unlock", { () async throws(KeyringError) in try await keyring.unlock() }),
        ]
    }

    func concurrency() async throws {
        let ids = (100..<140).map { id("\($0)") }
        try await withThrowingTaskGroup { group in
            for id in ids { group.addTask { try await self.write(Secret(id.account.utf8), id) } }
            try await group.waitForAll()
        }
        try await expectListed(ids, "after 40 writes at once")
        for id in ids { try await expect(id, reads: Secret(id.account.utf8), "after 40 writes at once") }
    }

    func changes() async throws {
        let watch = keyring.watch(id())  // as a wrapper does: some keyrings report no other secrets
        defer { withExtendedLifetime(watch) {} }
        var changes = keyring.changes.makeAsyncIterator(), hasReported = false
        for step in ["the write", "the removal"] {
            if step == "the write" { try await write(Secret([1]), id()) } else { try await keyring.remove(id()) }
            while true {
                guard let change = await changes.next(isolation: nil) else {
                    // A keyring without changes has a stream that ends at once.
                    return expect(!hasReported || Task.isCancelled, "its changes ended before \(step) was announced")
                }
                hasReported = true
                if change == .secret(id()) || change == .anySecret { break }
            }
        }
    }

    func locking() async throws {
        for text in ["first", "second"] {
            let locked = try await keyring.locked(for: id())
            try await write(Secret(text.utf8), id(), to: locked)
            try await expect(id(), reads: Secret(text.utf8), in: locked, "under its lock")
            try await expect(id(), reads: Secret(text.utf8), "without the lock that another one holds")
        }
        try await keyring.locked(for: id()).remove(id())
        try await expect(id(), reads: nil, "after it was removed under its lock")
        try await write(Secret([1]), id())
        try await expect(id(), reads: Secret([1]), "after the lock has ended")
    }

    func unlocking() async throws {
        try await keyring.unlock()
        try await expect(id(), reads: nil, "after unlock()")
    }

    func unavailability(_ setUnavailable: (@Sendable (Bool) async throws -> Void)?) async throws {
        let id = id()
        try await write(Secret([1]), id)
        try await setUnavailable?(true)
        var mayHaveWritten = false
        for (name, call) in calls where name != "unlock" {
            do throws(KeyringError) {
                try await call()
                expect(false, "\(name) succeeds while the keyring is unavailable")
            } catch .timedOut, .cancelled, .other {
                // The change may have been made nevertheless.
                mayHaveWritten = mayHaveWritten || name == "write" || name == "remove"
            } catch {}
        }
        try await setUnavailable?(false)
        if mayHaveWritten { _ = try await keyring.read(id) } else { try await expect(id, reads: Secret([1]), "after the keyring was unavailable") }
    }
}

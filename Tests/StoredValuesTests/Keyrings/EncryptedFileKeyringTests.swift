import Foundation
import StoredValuesSupport
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

@Suite("EncryptedFileKeyring", .heavy, .hangLimit)
struct EncryptedFileKeyringTests {
    private let id = SecretIdentifier(service: "com.example.Editor", account: "authToken")
    private let secret = TestSecret.secret()
}

extension EncryptedFileKeyringTests {
    /// A keyring in `folder` with one secret, opened with the key file beside it.
    private func makeKeyring(in folder: String) async throws -> EncryptedFileKeyring {
        makeKeyFile(folder + "/key")
        let keyring = EncryptedFileKeyring(path: folder + "/store", key: .file(folder + "/key"), deadline: hangLimit)
        try await keyring.write(secret, for: id, label: "Token")
        return keyring
    }

    private func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    private func put(_ bytes: [UInt8], _ path: String) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }

    @Test("Secrets come back from a second instance, whatever their bytes and names", arguments: [0, 1, 65_536, 1 << 20])
    func roundTrip(count: Int) async throws {
        try await withTemporaryFolder { folder in
            let keyring = try await makeKeyring(in: folder)
            let large = Secret((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) })
            let odd = SecretIdentifier(service: "", account: "naïve/\u{0}\u{1F511}")
            try await keyring.write(large, for: odd, label: "")
            let again = EncryptedFileKeyring(path: folder + "/store", key: .file(folder + "/key"), deadline: hangLimit)
            #expect(try await again.read(odd) == large)
            #expect(try await again.read(id) == secret)
            #expect(try await again.identifiers(inService: id.service) == [id])
            try await again.remove(odd)
            try await again.remove(odd)
            #expect(try await keyring.read(odd) == nil)
            #expect(try await keyring.read(id) == secret)
        }
    }

    @Test("A missing file reads as absent, and neither reading nor removing makes anything")
    func absent() async throws {
        try await withTemporaryFolder { folder in
            let keyring = EncryptedFileKeyring(
                path: folder + "/a/store", key: .generatedFile(folder + "/a/key"), deadline: hangLimit)
            #expect(try await keyring.read(id) == nil)
            #expect(try await keyring.identifiers(inService: id.service) == [])
            try await keyring.remove(id)
            try await keyring.unlock()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
        }
    }

    @Test("The file is 0600 and shows neither names nor secrets")
    func silence() async throws {
        try await withTemporaryFolder { folder in
            _ = try await makeKeyring(in: folder)
            #expect(try mode(folder + "/store") == 0o600)
            let file = try Data(contentsOf: URL(fileURLWithPath: folder + "/store"))
            for text in [id.service, id.account, "Token", TestSecret.mark] { #expect(file.range(of: Data(text.utf8)) == nil) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["key", "store", "store.lock"])
        }
    }

    @Test("A wrong key file is reported by every call, and the file is left alone")
    func wrongKey() async throws {
        try await withTemporaryFolder { folder in
            _ = try await makeKeyring(in: folder)
            let before = try bytes(folder + "/store")
            makeKeyFile(folder + "/other", byte: 8)
            for key in [EncryptedFileKey.file(folder + "/other"), .passphrase { Secret("right".utf8) }] {
                let keyring = EncryptedFileKeyring(path: folder + "/store", key: key, deadline: hangLimit)
                await #expect(throws: KeyringError.wrongKey) { try await keyring.read(id) }
                await #expect(throws: KeyringError.wrongKey) { try await keyring.write(secret, for: id, label: "") }
                await #expect(throws: KeyringError.wrongKey) { try await keyring.remove(id) }
                await #expect(throws: KeyringError.wrongKey) { try await keyring.identifiers(inService: "x") }
                await #expect(throws: KeyringError.wrongKey) { try await keyring.unlock() }
            }
            #expect(try bytes(folder + "/store") == before)
            // Nothing is made beside it either.
            try FileManager.default.removeItem(atPath: folder + "/store.lock")
            let wrong = EncryptedFileKeyring(path: folder + "/store", key: .file(folder + "/other"), deadline: hangLimit)
            await #expect(throws: KeyringError.wrongKey) { try await wrong.write(secret, for: id, label: "") }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["key", "other", "store"])
        }
    }

    @Test("Once a secret is removed no file beside holds it, not even what a process left that was killed", arguments: [true, false])
    func leftover(isStored: Bool) async throws {
        try await withTemporaryFolder { folder in
            let keyring = try await makeKeyring(in: folder)
            let withSecret = try bytes(folder + "/store")
            let leftover = DurableFile.temporaryPath(of: folder + "/store")
            if !isStored { try await keyring.remove(id) }
            try put(withSecret, leftover)
            try await keyring.remove(id)
            #expect(!FileManager.default.fileExists(atPath: leftover))
            // The same where the very first write was not finished: then there is no file to change.
            try FileManager.default.removeItem(atPath: folder + "/store")
            try put(withSecret, leftover)
            try await keyring.remove(id)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["key", "store.lock"])
        }
    }

    @Test("A wrong passphrase is reported, and asked for again; an empty one is refused")
    func wrongPassphrase() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/store"
            let deadline = hangLimit
            let right = EncryptedFileKeyring(path: path, key: .passphrase { Secret("right".utf8) }, deadline: deadline)
            try await right.write(secret, for: id, label: "")
            let before = try bytes(path)
            let answers = Answers(["wrong", "wrong again", "right"])
            let keyring = EncryptedFileKeyring(path: path, key: .passphrase { Secret(answers.next().utf8) }, deadline: deadline)
            await #expect(throws: KeyringError.wrongKey) { try await keyring.read(id) }
            await #expect(throws: KeyringError.wrongKey) { try await keyring.write(secret, for: id, label: "") }
            #expect(try bytes(path) == before)
            #expect(try await keyring.read(id) == secret)
            #expect(try await keyring.read(id) == secret)  // asks no fourth time
            let empty = EncryptedFileKeyring(path: path, key: .passphrase { Secret([]) }, deadline: deadline)
            await #expect(throws: KeyringError.other(domain: "EncryptedFileKey", code: 2, message: "the passphrase is empty")) {
                try await empty.read(id)
            }
        }
    }

    @Test("A passphrase is asked for without the lock, also when another process has created the file meanwhile")
    func askedWithoutLock() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/store", others = folder + "/others"
            let right = EncryptedFileKeyring(path: others, key: .passphrase { Secret("right".utf8) }, deadline: hangLimit)
            try await right.write(secret, for: id, label: "")
            let asked = Counter(), lockedOut = Counter()
            let key = EncryptedFileKey.passphrase {
                if asked.next() == 1 {
                    try FileManager.default.copyItem(atPath: others, toPath: path)
                } else if (try? DurableFile(path: path).withLock(timeout: .zero) { _ in }) == nil {
                    lockedOut.next()
                }
                return Secret("right".utf8)
            }
            let keyring = EncryptedFileKeyring(path: path, key: key, deadline: hangLimit)
            let second = SecretIdentifier(service: id.service, account: "second")
            try await keyring.write(Secret([2]), for: second, label: "")
            #expect(asked.value == 2)
            #expect(lockedOut.value == 0)
            let found = try await keyring.read(id)
            #expect(found == secret)
        }
    }

    @Test("A passphrase is asked for once for all who wait for it, and on no two threads at once", arguments: [true, false])
    func askedOnce(isRight: Bool) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/store"
            let right = EncryptedFileKeyring(path: path, key: .passphrase { Secret("right".utf8) }, deadline: hangLimit)
            try await right.write(secret, for: id, label: "")
            let asked = Counter(), asking = Guarded(0), most = Guarded(0), gate = DispatchSemaphore(value: 0)
            let operations = FaultyFileOperations()
            let key = EncryptedFileKey.passphrase {
                asked.next()
                let now = asking.withLock { count in
                    count += 1
                    return count
                }
                most.withLock { $0 = max($0, now) }
                gate.wait()
                gate.signal()
                asking.withLock { $0 -= 1 }
                return Secret((isRight ? "right" : "wrong").utf8)
            }
            let keyring = EncryptedFileKeyring(file: DurableFile(path: path, operations: operations), key: key, deadline: hangLimit)
            let second = SecretIdentifier(service: id.service, account: "second")
            let writing = Task { try await keyring.write(Secret([2]), for: second, label: "") }
            // Each reads on a thread of its own, as those of a fleet's keyring do.
            let reading = (0..<4).map { _ in Task { try await EncryptedFileKeyring(keyring, deadline: hangLimit).read(id) } }
            try await eventually("all have read the file") { operations.calls.count { $0 == "open reading" } >= 1 + reading.count }
            gate.signal()
            if isRight {
                try await writing.value
                for task in reading { #expect(try await task.value == secret) }
                #expect(asked.value == 1)
                #expect(try await keyring.read(second) == Secret([2]))
            } else {
                await #expect(throws: KeyringError.wrongKey) { try await writing.value }
                for task in reading { await #expect(throws: KeyringError.wrongKey) { try await task.value } }
            }
            #expect(most.withLock { $0 } == 1)
        }
    }

    @Test("Who has given up asks nobody, and what the user answers after that counts for the next call, but unlock()", arguments: [true, false])
    func askedTooLong(unlocking: Bool) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/store"
            let right = EncryptedFileKeyring(path: path, key: .passphrase { Secret("right".utf8) }, deadline: hangLimit)
            try await right.write(secret, for: id, label: "")
            let asked = Counter(), gate = DispatchSemaphore(value: 0)
            let key = EncryptedFileKey.passphrase {
                guard asked.next() == 1 else { return Secret("right".utf8) }
                gate.wait()
                throw KeyringError.dismissed
            }
            let operations = FaultyFileOperations()
            let keyring = EncryptedFileKeyring(file: DurableFile(path: path, operations: operations), key: key, deadline: hangLimit)
            let others = (0..<3).map { _ in EncryptedFileKeyring(keyring, deadline: hangLimit) }
            let first = Task { try await keyring.read(id) }
            try await eventually("the user is asked") { asked.value == 1 }
            let waiting = others.map { other in Task { try await other.read(id) } }
            try await eventually("all have read the file") { operations.calls.count { $0 == "open reading" } >= 1 + others.count }
            for task in [first] + waiting {
                task.cancel()
                await #expect(throws: KeyringError.cancelled) { try await task.value }
            }
            gate.signal()
            // Until each has gone on.
            for keyring in [keyring] + others {
                await withCheckedContinuation { (isDone: CheckedContinuation<Void, Never>) in keyring.readers.async { isDone.resume() } }
            }
            #expect(asked.value == 1)
            if unlocking {
                try await keyring.unlock()
            } else {
                await #expect(throws: KeyringError.dismissed) { try await keyring.read(id) }
                #expect(asked.value == 1)
            }
            #expect(try await keyring.read(id) == secret)
            #expect(asked.value == 2)
        }
    }

    @Test("Every flipped bit and every cut is reported as damage, and the file is left alone")
    func damage() async throws {
        try await withTemporaryFolder { folder in
            let keyring = try await makeKeyring(in: folder)
            let path = folder + "/store"
            let sound = try bytes(path)
            let flipped = (0..<sound.count * 8).map { bit in
                var bytes = sound
                bytes[bit / 8] ^= 1 << (bit % 8)
                return bytes
            }
            let cut = (0..<sound.count).map { Array(sound[..<$0]) }
            for bytes in flipped + cut + [sound + [0], sound + sound] {
                try put(bytes, path)
                // One that knows the key already, and one that derives it from what the header says.
                for keyring in [keyring, EncryptedFileKeyring(path: path, key: .file(folder + "/key"), deadline: hangLimit)] {
                    let error = try await #require(throws: KeyringError.self) { try await keyring.read(id) }
                    if error != .damaged(path: path) { Issue.record("\(error) instead of damaged") }
                }
            }
            for bytes in [flipped[0], flipped[8 * 130], cut[0], cut[20], cut[140]] {
                try put(bytes, path)
                await #expect(throws: KeyringError.damaged(path: path)) { try await keyring.write(secret, for: id, label: "") }
                await #expect(throws: KeyringError.damaged(path: path)) { try await keyring.remove(id) }
                #expect(try self.bytes(path) == bytes)
            }
            try put(sound, path)
            #expect(try await keyring.read(id) == secret)
        }
    }

    @Test("Instances that write at the same time lose nothing")
    func concurrency() async throws {
        try await withTemporaryFolder { folder in
            let first = try await makeKeyring(in: folder)
            let second = EncryptedFileKeyring(path: folder + "/store", key: .file(folder + "/key"), deadline: hangLimit)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<24 {
                    let keyring = number % 2 == 0 ? first : second
                    group.addTask {
                        let id = SecretIdentifier(service: "many", account: "\(number)")
                        try await keyring.write(Secret([UInt8(number)]), for: id, label: "")
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await first.identifiers(inService: "many").count == 24)
            #expect(try await second.read(SecretIdentifier(service: "many", account: "17")) == Secret([17]))
        }
    }

    @Test(
        "A header that asks for too much or too little of scrypt is refused before scrypt runs",
        arguments: [
            [63, 8, 1], [19, 8, 1], [1, 8, 1], [17, 255, 1], [17, 8, 255],
        ] as [[UInt8]])
    func scryptBounds(cost: [UInt8]) async throws {
        try await withTemporaryFolder { folder in
            let header = EncryptedFileHeader(
                derivation: KeyDerivation(new: .standardScrypt), generation: 1, seed: [UInt8](repeating: 0, count: 32),
                keyCheck: [UInt8](repeating: 0, count: 16), bodyByteCount: 4)
            var bytes = header.bytes
            bytes.replaceSubrange(12..<15, with: cost)
            bytes.replaceSubrange(112..<128, with: EncryptedFileHeader.checksum(of: Array(bytes[..<112])))
            try put(bytes + [UInt8](repeating: 0, count: 20), folder + "/store")
            let keyring = EncryptedFileKeyring(
                path: folder + "/store",
                key: .passphrase {
                    Issue.record("the passphrase was asked for")
                    return Secret("x".utf8)
                }, deadline: hangLimit)
            await #expect(throws: KeyringError.damaged(path: folder + "/store")) { try await keyring.read(id) }
        }
    }

    @Test("A file from a newer version is reported as such, not as damage, and is left alone")
    func newerVersion() async throws {
        try await withTemporaryFolder { folder in
            let keyring = try await makeKeyring(in: folder)
            var newer = try bytes(folder + "/store")
            newer[8] = 2
            newer.replaceSubrange(112..<128, with: EncryptedFileHeader.checksum(of: Array(newer[..<112])))
            try put(newer, folder + "/store")
            let error = try await #require(throws: KeyringError.self) { try await keyring.write(secret, for: id, label: "") }
            #expect("\(error)".contains("newer version"))
            #expect(try bytes(folder + "/store") == newer)
        }
    }

    @Test("A header that was changed with care, checksum and all, opens nothing")
    func forgedHeader() async throws {
        try await withTemporaryFolder { folder in
            let keyring = try await makeKeyring(in: folder)
            let sound = try bytes(folder + "/store")
            for offset in 8..<112 {
                var forged = sound
                forged[offset] ^= 1
                forged.replaceSubrange(112..<128, with: EncryptedFileHeader.checksum(of: Array(forged[..<112])))
                try put(forged, folder + "/store")
                await #expect(throws: KeyringError.self) { try await keyring.read(id) }
            }
        }
    }

    @Test("Reads end even while getters block every thread of the cooperative pool")
    func blockedPool() async throws {
        try await withTemporaryFolder { folder in
            let keyring = try await makeKeyring(in: folder)
            let executor = QueueExecutor()
            let answers = Counter()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask { [id] in
                        // As the synchronous getter of SecurelyStoredValue does it.
                        let done = DispatchSemaphore(value: 0)
                        Task.detached(executorPreference: executor) {
                            if (try? await keyring.read(id)) != nil { answers.next() }
                            done.signal()
                        }
                        Self.block(on: done)
                    }
                }
            }
            #expect(answers.value == 8)
        }
    }

    private static func block(on semaphore: DispatchSemaphore) {
        #expect(semaphore.wait(timeout: .now() + .nanoseconds(Int(hangLimit.nanoseconds))) == .success)
    }

    @Test("A key file that others could read, or that is none, is refused and nothing is made")
    func keyFiles() async throws {
        try await withTemporaryFolder { folder in
            func error(_ path: String) async throws -> KeyringError {
                let keyring = EncryptedFileKeyring(path: folder + "/new/store", key: .file(path), deadline: hangLimit)
                let error = try await #require(throws: KeyringError.self) { try await keyring.write(secret, for: id, label: "") }
                #expect(!FileManager.default.fileExists(atPath: folder + "/new"))
                return error
            }
            for mode in [0o640, 0o604, 0o620, 0o610] {
                makeKeyFile(folder + "/\(mode)", mode: mode)
                #expect(try await error(folder + "/\(mode)") == .accessDenied)
            }
            makeKeyFile(folder + "/short", count: 31)
            #expect("\(try await error(folder + "/short"))".contains("fewer than 32 bytes"))
            makeKeyFile(folder + "/good")
            try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: "good")
            #expect("\(try await error(folder + "/link"))".contains("symbolic link"))
            #expect("\(try await error(folder + "/none"))".contains("is missing"))
            #expect(mkfifo(folder + "/fifo", 0o600) == 0)
            #expect("\(try await error(folder + "/fifo"))".contains("a FIFO"))
        }
    }

    @Test("A generated key is made once, privately, and never for an encrypted file that exists")
    func generatedKey() async throws {
        try await withTemporaryFolder { folder in
            let (path, keyPath) = (folder + "/store", folder + "/keys/key")
            let keyring = EncryptedFileKeyring(path: path, key: .generatedFile(keyPath), deadline: hangLimit)
            try await keyring.write(secret, for: id, label: "")
            let attributes = try FileManager.default.attributesOfItem(atPath: keyPath)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            #expect(attributes[.size] as? Int == 32)
            let again = EncryptedFileKeyring(path: path, key: .generatedFile(keyPath), deadline: hangLimit)
            #expect(try await again.read(id) == secret)
            try FileManager.default.removeItem(atPath: keyPath)
            let before = try bytes(path)
            let without = EncryptedFileKeyring(path: path, key: .generatedFile(keyPath), deadline: hangLimit)
            let error = try await #require(throws: KeyringError.self) { try await without.write(secret, for: id, label: "") }
            #expect("\(error)".contains("is missing"))
            #expect(!FileManager.default.fileExists(atPath: keyPath))
            #expect(try bytes(path) == before)
            // With both gone, a key that is only remembered does not open a new file to nobody.
            try FileManager.default.removeItem(atPath: path)
            try await keyring.write(secret, for: id, label: "")
            #expect(try await EncryptedFileKeyring(path: path, key: .file(keyPath), deadline: hangLimit).read(id) == secret)
        }
    }

    @Test(
        "Errors of the file are reported as the keyring's own",
        arguments: [
            (SystemErrorCode.accessDenied, KeyringError.accessDenied), (.notPermitted, .accessDenied), (.readOnly, .readOnly),
        ])
    func fileErrors(code: SystemErrorCode, expected: KeyringError) async throws {
        try await withTemporaryFolder { folder in
            makeKeyFile(folder + "/key")
            let operations = FaultyFileOperations(failing: ["open creating": code])
            let file = DurableFile(path: folder + "/store", operations: operations)
            let keyring = EncryptedFileKeyring(file: file, key: .file(folder + "/key"), deadline: hangLimit)
            await #expect(throws: expected) { try await keyring.write(secret, for: id, label: "") }
            operations.fail("open creating", with: .noSpace)
            let full = try await #require(throws: KeyringError.self) { try await keyring.write(secret, for: id, label: "") }
            #expect("\(full)".contains("no space left on device (ENOSPC)"))
        }
    }

    @Test(
        "No error says that nothing has changed where the file was replaced and only its folder was not synced",
        arguments: [SystemErrorCode.accessDenied, .notPermitted, .readOnly])
    func folderNotSynced(code: SystemErrorCode) async throws {
        try await withTemporaryFolder { folder in
            makeKeyFile(folder + "/key")
            let file = DurableFile(path: folder + "/store", operations: FaultyFileOperations(failing: ["open folder": code]))
            let keyring = EncryptedFileKeyring(file: file, key: .file(folder + "/key"), deadline: hangLimit)
            let error = try await #require(throws: KeyringError.self) { try await keyring.write(secret, for: id, label: "") }
            if case .other("file", _, let message) = error { #expect(message.contains(folder)) } else { Issue.record(error) }
            let found = try await keyring.read(id)
            #expect(found == secret)
        }
    }

    @Test(
        "Where the lock is refused, an update that changes nothing works, and another fails and forgets nothing",
        arguments: [
            (SystemErrorCode.accessDenied, KeyringError.accessDenied), (.readOnly, .readOnly),
        ])
    func refusedUpdate(code: SystemErrorCode, expected: KeyringError) async throws {
        try await withTemporaryFolder { folder in
            _ = try await makeKeyring(in: folder)
            let file = DurableFile(path: folder + "/store", operations: FaultyFileOperations(failing: ["open locking": code]))
            let keyring = EncryptedFileKeyring(file: file, key: .file(folder + "/key"), deadline: hangLimit)
            let token = SecurelyStoredValue<String>(key: id.account, service: id.service, keyring: keyring)
            let flag = SecurelyStoredValue<Bool>(key: "flag", service: id.service, keyring: keyring)
            #expect(try await token.load()?.isEmpty == false)
            try await token.update { $0 = $0.map { $0 + "" } }
            await expectSecretError(.notStored) { try await flag.toggle() }
            await expectSecretError(expected) { try await token.update { $0 = "another" } }
            await expectSecretError(expected) { try await token.update { $0 = nil } }
            #expect(token.status == .value)
            #expect(try await keyring.read(id) == secret)
        }
    }

    @Test("While another holds the lock a write ends at its deadline or when cancelled, and reads go on")
    func deadline() async throws {
        try await withTemporaryFolder { folder in
            let patient = try await makeKeyring(in: folder)
            let hasty = EncryptedFileKeyring(
                path: folder + "/store", key: .file(folder + "/key"), deadline: .milliseconds(100))
            let lock = try Held(folder + "/store")
            await #expect(throws: KeyringError.timedOut(after: .milliseconds(100))) {
                try await hasty.write(Secret([1]), for: id, label: "")
            }
            let executor = QueueExecutor()
            let writing = Task(executorPreference: executor) { try await patient.write(Secret([2]), for: id, label: "") }
            await executor.allWaiting()
            #expect(try await patient.read(id) == secret)
            writing.cancel()
            await #expect(throws: KeyringError.cancelled) { try await writing.value }
            lock.release()
            try await patient.write(Secret([3]), for: id, label: "")
            #expect(try await patient.read(id) == Secret([3]))
        }
    }

    @Test("Every instance with the path announces what this process changes")
    func changes() async throws {
        try await withTemporaryFolder { folder in
            let writer = try await makeKeyring(in: folder)
            let listener = EncryptedFileKeyring(path: folder + "/store", key: .file(folder + "/key"), deadline: hangLimit)
            var iterator = listener.changes.makeAsyncIterator()
            try await writer.write(secret, for: id, label: "")
            #expect(await iterator.next() == .secret(id))
            try await listener.remove(id)
            #expect(await iterator.next() == .secret(id))
        }
    }
}

/// The lock of a file, held on a thread of its own until released.
private final class Held: Sendable {
    private let done = DispatchSemaphore(value: 0)
    private let released = DispatchSemaphore(value: 0)

    init(_ path: String) throws {
        let taken = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [done, released] in
            #expect(throws: Never.self) {
                try DurableFile(path: path).withLock { _ in
                    taken.signal()
                    done.wait()
                }
            }
            released.signal()
        }
        #expect(taken.wait(timeout: .now() + .nanoseconds(Int(hangLimit.nanoseconds))) == .success)
    }

    func release() {
        done.signal()
        #expect(released.wait(timeout: .now() + .nanoseconds(Int(hangLimit.nanoseconds))) == .success)
    }
}

/// Answers given one after the other; the last one is not repeated.
private final class Answers: Sendable {
    private let answers: Guarded<[String]>

    init(_ answers: [String]) { self.answers = Guarded(answers) }

    func next() -> String {
        answers.withLock { $0.isEmpty ? "asked too often" : $0.removeFirst() }
    }
}

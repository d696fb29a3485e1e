import Foundation
import StoredValuesSupport
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

@Suite("Re-keying an encrypted file", .hangLimit)
struct EncryptedFileRekeyTests {
    private let id = SecretIdentifier(service: "processes", account: "token")
    private let secret = TestSecret.secret()
    private let processes = TestProcesses()
}

extension EncryptedFileRekeyTests {
    private func keyring(_ folder: String, _ key: String, operations: FileOperations = .posix) -> EncryptedFileKeyring {
        EncryptedFileKeyring(
            file: DurableFile(path: folder + "/store", operations: operations), key: .file(folder + "/" + key), deadline: hangLimit)
    }

    /// A folder with two key files and a store with one secret, under the key "old".
    private func withStore(_ body: (String) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            makeKeyFile(folder + "/old", byte: 1)
            makeKeyFile(folder + "/new", byte: 2)
            try await keyring(folder, "old").write(secret, for: id, label: "")
            try await body(folder)
        }
    }

    private func header(in folder: String) throws -> EncryptedFileHeader {
        try EncryptedFileHeader(ofFile: Array(try Data(contentsOf: URL(fileURLWithPath: folder + "/store"))))
    }

    @Test("The file opens with the new key and a new salt, and no more with the old one, in this process and in others")
    func rekey() async throws {
        try await withStore { folder in
            let keyring = keyring(folder, "old"), beside = self.keyring(folder, "old")
            #expect(try await beside.read(id) == secret)
            let other = try processes.start("read-secret", folder + "/store", folder + "/old", "token")
            let isRead = try await other.line() == TestSecret.text()
            #expect(isRead)
            var changes = beside.changes.makeAsyncIterator()
            let before = try header(in: folder)

            try await keyring.rekey(to: .file(folder + "/new"))
            #expect(try await keyring.read(id) == secret)
            #expect(keyring.description.contains("/new"))
            #expect(await changes.next() == .anySecret)
            await #expect(throws: KeyringError.wrongKey) { try await beside.read(id) }
            await #expect(throws: KeyringError.wrongKey) { try await beside.write(secret, for: id, label: "") }
            #expect(try await other.ask("again") == "wrongKey")
            let after = try header(in: folder)
            #expect(after.derivation.salt != before.derivation.salt && after.keyCheck != before.keyCheck)
            #expect(after.generation == before.generation + 1)

            // It goes on with the new key, as one does that is opened with it.
            try await keyring.write(Secret("changed".utf8), for: id, label: "")
            #expect(try await self.keyring(folder, "new").read(id) == Secret("changed".utf8))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["new", "old", "store", "store.lock"])
            // And others that are opened with the new key go on, too.
            let again = try processes.start("read-secret", folder + "/store", folder + "/new", "token")
            #expect(try await again.line() == "changed")
        }
    }

    @Test("What a keyring equals is settled when it is made, whatever becomes of its key")
    func equality() async throws {
        try await withStore { folder in
            try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: "old")
            let keyring = keyring(folder, "old"), same = self.keyring(folder, "old"), byLink = self.keyring(folder, "link")
            let known = [keyring: "known"]
            #expect(known[same] == "known" && known[byLink] == "known")
            try await keyring.rekey(to: .file(folder + "/new"))
            #expect(known[keyring] == "known" && known[same] == "known" && known[self.keyring(folder, "new")] == nil)
            try FileManager.default.removeItem(atPath: folder + "/link")
            try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: "new")
            #expect(known[byLink] == "known" && known[self.keyring(folder, "link")] == nil)
        }
    }

    @Test("From a key file to a passphrase and on to a generated key file")
    func kinds() async throws {
        try await withStore { folder in
            let keyring = keyring(folder, "old")
            try await keyring.rekey(to: .passphrase { Secret("correct horse".utf8) })
            #expect(try header(in: folder).derivation.method == .standardScrypt)
            #expect(try await keyring.read(id) == secret)
            await #expect(throws: KeyringError.wrongKey) { try await self.keyring(folder, "old").read(id) }
            try await keyring.rekey(to: .generatedFile(folder + "/generated"))
            #expect(try await self.keyring(folder, "generated").read(id) == secret)
        }
    }

    @Test("With the wrong key, or a new key that is none, nothing is changed or made")
    func refused() async throws {
        try await withStore { folder in
            let before = try header(in: folder)
            let wrong = keyring(folder, "new")
            await #expect(throws: KeyringError.wrongKey) { try await wrong.rekey(to: .generatedFile(folder + "/made")) }
            let right = keyring(folder, "old")
            await #expect(throws: KeyringError.self) { try await right.rekey(to: .file(folder + "/none")) }
            #expect(try await right.read(id) == secret)
            #expect(try header(in: folder) == before)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["new", "old", "store", "store.lock"])
        }
    }

    @Test(
        "When the disk fails, the keyring that was re-keyed reads and writes the file that is there, whichever it is",
        arguments: [
            "open creating", "write", "synchronize", "rename", "synchronize folder",
        ])
    func failing(call: String) async throws {
        try await withStore { folder in
            let operations = FaultyFileOperations()
            let keyring = keyring(folder, "old", operations: operations)
            #expect(try await keyring.read(id) == secret)
            operations.fail(call, with: .noSpace)
            await #expect(throws: KeyringError.self) { try await keyring.rekey(to: .file(folder + "/new")) }
            operations.fail(call, with: nil)
            #expect(try await keyring.read(id) == secret)
            try await keyring.write(Secret([9]), for: id, label: "")
            // Only after the renaming the new one is there.
            let key = call == "synchronize folder" ? "new" : "old"
            #expect(try await self.keyring(folder, key).read(id) == Secret([9]))
            // Doing it again ends with the new key.
            if key == "old" { try await keyring.rekey(to: .file(folder + "/new")) }
            #expect(try await self.keyring(folder, "new").read(id) == Secret([9]))
        }
    }

    @Test("After re-keyings that failed a new file is made with the key that stayed, not with one that was refused")
    func newFileAfterFailures() async throws {
        try await withTemporaryFolder { folder in
            func keyring(_ passphrase: String, _ operations: FileOperations = .posix) -> EncryptedFileKeyring {
                EncryptedFileKeyring(
                    file: DurableFile(path: folder + "/store", operations: operations), key: .passphrase { Secret(passphrase.utf8) },
                    deadline: hangLimit)
            }
            let operations = FaultyFileOperations()
            let rekeyed = keyring("stays", operations)
            try await rekeyed.write(secret, for: id, label: "")
            operations.fail("rename", with: .noSpace)
            for passphrase in ["refused", "refused too"] {
                await #expect(throws: KeyringError.self) { try await rekeyed.rekey(to: .passphrase { Secret(passphrase.utf8) }) }
            }
            operations.fail("rename", with: nil)
            try FileManager.default.removeItem(atPath: folder + "/store")
            try await rekeyed.write(secret, for: id, label: "")
            let found = try await keyring("stays").read(id)
            #expect(found == secret)
        }
    }

    @Test("A reader that began before it, and gets the old passphrase after it, does not bring that back")
    func lateReader() async throws {
        try await withTemporaryFolder { folder in
            func keyring(_ key: EncryptedFileKey) -> EncryptedFileKeyring {
                EncryptedFileKeyring(path: folder + "/store", key: key, deadline: hangLimit)
            }
            try await keyring(.passphrase { Secret("old".utf8) }).write(secret, for: id, label: "")
            let isFirst = Guarded(true), isAsked = OneShot<Bool>(), gate = DispatchSemaphore(value: 0)
            let rekeyed = keyring(
                .passphrase {
                    if isFirst.withLock({ exchange(&$0, with: false) }) {
                        isAsked.answer(true)
                        gate.wait()
                    }
                    return Secret("old".utf8)
                })
            async let read = rekeyed.read(id)
            _ = await isAsked.wait(cancelled: false)
            // Where there is no file, the old passphrase is not needed, for which this would wait.
            try FileManager.default.removeItem(atPath: folder + "/store")
            do { try await rekeyed.rekey(to: .passphrase { Secret("new".utf8) }) } catch { Issue.record(error) }
            gate.signal()
            let found = try await read
            #expect(found == secret)
            try await rekeyed.write(secret, for: id, label: "")
            let again = try await keyring(.passphrase { Secret("new".utf8) }).read(id)
            #expect(again == secret)
        }
    }

    @Test("Readers beside it, in the same keyring, never fail")
    func readers() async throws {
        try await withStore { folder in
            let keyring = keyring(folder, "old")
            try await withThrowingTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<50 {
                            let found = try await keyring.read(id)
                            #expect(found == secret)
                        }
                    }
                }
                group.addTask {
                    for number in 0..<20 { try await keyring.rekey(to: .file(folder + (number % 2 == 0 ? "/new" : "/old"))) }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("What was read before a re-keying is not opened with the key after it")
    func staleReader() async throws {
        try await withStore { folder in
            // The reader has the old file open when it is re-keyed, and reads it then.
            let rekeying = Rekeying(key: .file(folder + "/new"))
            let operations = FaultyFileOperations { call in
                if call == "read" { rekeying.performOnce() }
            }
            let keyring = keyring(folder, "old", operations: operations)
            rekeying.keyring.withLock { $0 = keyring }
            let found = try await keyring.read(id)
            #expect(found == secret)
        }
    }

    @Test("A missing file stays missing, and is made with the new key")
    func missing() async throws {
        try await withTemporaryFolder { folder in
            makeKeyFile(folder + "/old", byte: 1)
            makeKeyFile(folder + "/new", byte: 2)
            let keyring = keyring(folder, "old")
            try await keyring.rekey(to: .file(folder + "/new"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["new", "old"])
            try await keyring.write(secret, for: id, label: "")
            #expect(try await self.keyring(folder, "new").read(id) == secret)
        }
    }
}

/// A re-keying that is done once, in the middle of something else.
private final class Rekeying: Sendable {
    let keyring = Guarded<EncryptedFileKeyring?>(nil)
    private let key: EncryptedFileKey

    init(key: EncryptedFileKey) { self.key = key }

    /// Re-keys the keyring and waits for it, on a thread that may block.
    func performOnce() {
        guard let keyring = keyring.withLock({ $0.take() }) else { return }
        let done = DispatchSemaphore(value: 0)
        Task.detached { [key] in
            do { try await keyring.rekey(to: key) } catch { Issue.record(error) }
            done.signal()
        }
        let result = done.wait(timeout: .now() + .nanoseconds(Int(hangLimit.nanoseconds)))
        #expect(result == .success)
    }
}

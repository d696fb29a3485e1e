import Foundation
import StoredValuesFiles
import Synchronization
import Testing

@testable import StoredValues

@Suite("Changes of an encrypted file", .hangLimit)
struct EncryptedFileChangesTests {
    private let id = SecretIdentifier(service: "processes", account: "p-0")
    private let processes = TestProcesses()
}

extension EncryptedFileChangesTests {
    private func keyring(in folder: String, key: EncryptedFileKey? = nil) -> EncryptedFileKeyring {
        EncryptedFileKeyring(
            path: folder + "/store", key: key ?? .generatedFile(folder + "/key"), deadline: hangLimit)
    }

    @Test("What another process writes is detected, and can be read")
    func otherProcess() async throws {
        try await withTemporaryFolder { folder in
            let keyring = keyring(in: folder)
            try await keyring.write(Secret([1]), for: SecretIdentifier(service: "s", account: "own"), label: "")
            var changes = keyring.changes.makeAsyncIterator()
            let writer = try processes.start("write-secrets", folder + "/store", folder + "/key", "p", "1")
            #expect(await changes.next() == .anySecret)
            #expect(try await keyring.read(id) == Secret("0".utf8))
            #expect(try await writer.line() == "done")
        }
    }

    @Test("Change after change of another process is detected, and the state after the last one")
    func following() async throws {
        try await withTemporaryFolder { folder in
            let keyring = keyring(in: folder)
            try await keyring.write(Secret("first".utf8), for: id, label: "")
            var changes = keyring.changes.makeAsyncIterator()
            // Step 4 sets the secret, 5 removes another one, 8 sets it again.
            let writer = try processes.start("step-secrets", folder + "/store", folder + "/key", "p", "4", "8")
            var last: Secret?
            while last != Secret("8".utf8), await changes.next() != nil { last = try await keyring.read(id) }
            #expect(last == Secret("8".utf8))
            #expect(try await writer.end() == .exit(0))
        }
    }

    @Test("A change of this process is reported once, by its name, and not again by the watch")
    func own() async throws {
        try await withTemporaryFolder { folder in
            let keyring = keyring(in: folder)
            var changes = keyring.changes.makeAsyncIterator()
            let ids = (0..<20).map { SecretIdentifier(service: "s", account: "\($0)") }
            for id in ids { try await keyring.write(Secret([1]), for: id, label: "") }
            try await keyring.remove(SecretIdentifier(service: "s", account: "not there"))
            // The last one comes from outside, so that all that the watch had to say before is heard.
            try FileManager.default.removeItem(atPath: folder + "/store")
            var heard: [KeyringChange] = []
            while heard.last != .anySecret, let change = await changes.next() { heard.append(change) }
            #expect(heard == ids.map { .secret($0) } + [.anySecret])
            #expect(try await keyring.read(ids[0]) == nil)
        }
    }

    @Test("Neither the first listener nor the first read waits for a write that waits for the disk")
    func slowDisk() async throws {
        try await withTemporaryFolder { folder in
            let isSlow = Atomic(false), isWaiting = Atomic(false), disk = DispatchSemaphore(value: 0)
            let operations = FaultyFileOperations { call in
                guard call == "synchronize", isSlow.load(ordering: .relaxed) else { return }
                isWaiting.store(true, ordering: .relaxed)
                disk.wait()
            }
            let file = DurableFile(path: folder + "/store", operations: operations)
            let keyring = EncryptedFileKeyring(file: file, key: .generatedFile(folder + "/key"), deadline: hangLimit)
            try await keyring.write(Secret("old".utf8), for: id, label: "")
            isSlow.store(true, ordering: .relaxed)
            let writing = Task { try await keyring.write(Secret("new".utf8), for: id, label: "") }
            try await eventually("the disk is waited for") { isWaiting.load(ordering: .relaxed) }

            let token = SecurelyStoredValue<String>(key: id.account, service: id.service, keyring: keyring)
            try await eventually("a getter has the old one") { await offPool { token.wrappedValue } == "old" }
            var changes = keyring.changes.makeAsyncIterator()
            isSlow.store(false, ordering: .relaxed)
            disk.signal()
            try await writing.value
            #expect(await changes.next() == .secret(id))
            try await eventually("the write was heard") { token.wrappedValue == "new" }
        }
    }

    @Test("Changes come to an iterator where nobody keeps the keyring, and the watch goes with the iterator")
    func unkept() async throws {
        try await withTemporaryFolder { folder in
            weak var ear: EncryptedFileChanges?
            func subscribe() -> AsyncStream<KeyringChange>.Iterator {
                let keyring = keyring(in: folder)
                ear = keyring.vault.changes
                return keyring.changes.makeAsyncIterator()
            }
            do {
                var changes = subscribe()
                let isThere = ear != nil
                try #require(isThere, "otherwise no change would ever come")
                try await keyring(in: folder).write(Secret([1]), for: id, label: "")
                #expect(await changes.next() == .secret(id))
            }
            try await eventually("the watch has ended") { ear == nil }
        }
    }

    @Test("A copy that is put back in place is detected when it is complete")
    func inPlace() async throws {
        try await withTemporaryFolder { folder in
            let keyring = keyring(in: folder)
            try await keyring.write(Secret("old".utf8), for: id, label: "")
            let copy = try Data(contentsOf: URL(fileURLWithPath: folder + "/store"))
            try await keyring.write(Secret("new".utf8), for: id, label: "")
            var changes = keyring.changes.makeAsyncIterator()
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: folder + "/store"))
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: copy.prefix(100))
            try file.write(contentsOf: copy.dropFirst(100))
            try file.close()
            #expect(await changes.next() == .anySecret)
            #expect(try await keyring.read(id) == Secret("old".utf8))
        }
    }

    @Test("A file that comes by link(2), which no writer closes, is detected")
    func linked() async throws {
        try await withTemporaryFolder { folder in
            let keyring = keyring(in: folder)
            try await keyring.write(Secret("new".utf8), for: id, label: "")
            try FileManager.default.moveItem(atPath: folder + "/store", toPath: folder + "/elsewhere")
            var changes = keyring.changes.makeAsyncIterator()
            #expect(link(folder + "/elsewhere", folder + "/store") == 0)
            #expect(await changes.next() == .anySecret)
            #expect(try await keyring.read(id) == Secret("new".utf8))
        }
    }

    @Test("Keyrings of one file share one ear, which goes with the last listener")
    func sharing() async throws {
        try await withTemporaryFolder { folder in
            let one = keyring(in: folder), two = keyring(in: folder)
            var first = one.changes.makeAsyncIterator()
            do {
                var second = two.changes.makeAsyncIterator()
                try Data([1]).write(to: URL(fileURLWithPath: folder + "/store"))
                #expect(await first.next() == .anySecret)
                #expect(await second.next() == .anySecret)
            }
            try Data([2]).write(to: URL(fileURLWithPath: folder + "/store"))
            #expect(await first.next() == .anySecret)
        }
    }
}

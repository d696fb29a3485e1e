import Foundation
import StoredValuesSupport
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

@Suite("DurableGeneration", .hangLimit)
struct DurableGenerationTests {}

extension DurableGenerationTests {
    private func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    @discardableResult
    private func replace(_ file: DurableFile, with text: String) throws -> FileIdentity {
        try file.withLock { try $0.replace(with: Array(text.utf8), durably: false) }
    }

    /// The same, with what is known of the file then.
    private func write(_ text: String, to file: DurableFile) throws -> (file: FilePin, bytes: [UInt8]) {
        let identity = try replace(file, with: text)
        return (try #require(FilePin(identity, at: file.path, file.operations)), Array(text.utf8))
    }

    private func text(_ generation: DurableGeneration) throws -> String? {
        try generation.read().map { String(decoding: $0, as: UTF8.self) }
    }

    private func keep(_ generation: DurableGeneration, if isWhole: Bool = true) throws -> Bool {
        try generation.keep(nil) { _ in isWhole }
    }

    @Test("It is a copy of the file, with its mode and owner, beside the real file")
    func copy() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/real"
            let file = DurableFile(path: folder + "/link")
            try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: "real")
            let generation = DurableGeneration(of: file)
            for (round, mode) in [0o600, 0o644, 0o640, 0o400].enumerated() {
                try replace(file, with: "state \(round)")
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
                if getuid() == 0 { #expect(chown(path, 4321, 4322) == 0) }
                #expect(try keep(generation))
                #expect(try text(generation) == "state \(round)")
                #expect(generation.holds(try file.currentIdentity()))
                let attributes = try FileManager.default.attributesOfItem(atPath: path + ".durable")
                #expect(attributes[.posixPermissions] as? Int == mode)
                if getuid() == 0 { #expect(attributes[.ownerAccountID] as? Int == 4321) }
                #expect(attributes[.referenceCount] as? Int == 1)
            }
            #expect(try names(in: folder) == ["link", "real", "real.durable", "real.durable.lock", "real.lock"])
        }
    }

    @Test("A file that its owner made read-only is kept all the same")
    func readOnly() async throws {
        try await withTemporaryFolder { folder in
            #expect(chmod(folder, 0o777) == 0)
            await #expect(processExitsWith: .success) { [folder = folder as String] in
                if geteuid() == 0 { try #require(seteuid(65534) == 0) }  // root may write anywhere
                let file = DurableFile(path: folder + "/file"), generation = DurableGeneration(of: file)
                for text in ["one", "two"] {
                    _ = try file.withLock { try $0.replace(with: Array(text.utf8), durably: false) }
                    try #require(chmod(folder + "/file", 0o400) == 0)
                    _ = try generation.keep(nil) { _ in true }
                    #expect(try generation.read() == Array(text.utf8))
                }
            }
        }
    }

    @Test("A broken file is never kept, and what was kept stays")
    func broken() throws {
        try withTemporaryFolder { folder in
            let file = DurableFile(path: folder + "/file"), generation = DurableGeneration(of: file)
            let first = try replace(file, with: "broken from the start")
            #expect(try !keep(generation, if: false))
            #expect(try names(in: folder) == ["file", "file.durable.lock", "file.lock"])
            #expect(!generation.holds(first))
            try replace(file, with: "good")
            #expect(try keep(generation))
            try replace(file, with: "broken")
            #expect(try !keep(generation, if: false))
            #expect(try text(generation) == "good")
        }
    }

    @Test("Of a file that was deleted nothing is kept, not even the copy's lock")
    func deleted() throws {
        try withTemporaryFolder { folder in
            let file = DurableFile(path: folder + "/new/file"), generation = DurableGeneration(of: file)
            #expect(try keep(generation))
            #expect(try names(in: folder) == [])
            try replace(file, with: "old")
            #expect(try keep(generation))
            try file.withLock { try $0.remove() }
            #expect(try keep(generation))
            #expect(try generation.read() == nil)
            #expect(try names(in: folder + "/new") == ["file.lock"])
        }
    }

    @Test("A folder that is removed meanwhile is not made again")
    func folderRemoved() throws {
        try withTemporaryFolder { folder in
            try replace(DurableFile(path: folder + "/f/file"), with: "old")
            let operations = FaultyFileOperations { call in
                guard call == "open locking" else { return }
                #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: folder + "/f") }
            }
            let generation = DurableGeneration(of: DurableFile(path: folder + "/f/file", operations: operations))
            #expect(try keep(generation))
            #expect(try names(in: folder) == [])
        }
    }

    @Test("A user who may only read the copy cannot prevent the next one")
    func lockedByReader() throws {
        try withTemporaryFolder { folder in
            let file = DurableFile(path: folder + "/file"), generation = DurableGeneration(of: file)
            try replace(file, with: "old")
            #expect(try keep(generation))
            let readable = open(folder + "/file.durable", O_RDONLY)
            defer { close(readable) }
            #expect(flock(readable, LOCK_EX) == 0)
            try replace(file, with: "new")
            #expect(try keep(generation))
            #expect(try text(generation) == "new")
        }
    }

    @Test("The state that another process writes during the wait for the lock is the one that is kept", arguments: [false, true])
    func forwardOnly(isOwn: Bool) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/file"
            let written = try write("old", to: DurableFile(path: path))
            let operations = FaultyFileOperations { call in
                guard call == "lock" else { return }
                #expect(throws: Never.self) { try Data("new".utf8).write(to: URL(fileURLWithPath: path)) }
            }
            let generation = DurableGeneration(of: DurableFile(path: path, operations: operations))
            #expect(try generation.keep(isOwn ? written : nil) { _ in true })
            #expect(try text(generation) == "new")
        }
    }

    @Test("A link that is turned elsewhere while the lock of a removed file's copy is waited for leads to no other file's copy")
    func linkTurned() throws {
        try withTemporaryFolder { folder in
            let manager = FileManager.default
            for name in ["old", "new"] {
                let file = DurableFile(path: "\(folder)/\(name)")
                try replace(file, with: name)
                #expect(try keep(DurableGeneration(of: file)))
            }
            try manager.createSymbolicLink(atPath: folder + "/link", withDestinationPath: "old")
            let locks = Counter(), operations = Guarded<FaultyFileOperations?>(nil)
            let faulty = FaultyFileOperations { call in
                guard call == "lock" else { return }
                switch locks.next() {
                case 1: break  // the file's
                case 2:  // the copy's, which another process has
                    operations.withLock { $0 }?.fail("lock", with: .wouldBlock)
                    #expect(throws: Never.self) {
                        try manager.removeItem(atPath: folder + "/link")
                        try manager.createSymbolicLink(atPath: folder + "/link", withDestinationPath: "new")
                    }
                default: operations.withLock { $0 }?.fail("lock", with: nil)
                }
            }
            operations.withLock { $0 = faulty }
            defer { operations.withLock { $0 = nil } }
            let file = DurableFile(path: folder + "/link", operations: faulty)
            try DurableGeneration(of: file).removeAll(with: file.lock())
            let names = try names(in: folder).filter { !$0.hasSuffix(".lock") }
            #expect(Set(names) == ["link", "new", "new.durable"])
        }
    }

    @Test("What this process wrote is copied from memory, in so many calls")
    func cost() throws {
        try withTemporaryFolder { folder in
            let operations = FaultyFileOperations()
            let file = DurableFile(path: folder + "/file", operations: operations), generation = DurableGeneration(of: file)
            #expect(try generation.keep(write("old", to: file)) { _ in false })
            let written = try write("new", to: file)
            let (calls, count) = (operations.calls.count, operations.count)
            #expect(try generation.keep(written) { _ in false })
            #expect(
                operations.calls[calls...] == [
                    "open locking", "lock", "attributeNames", "open readingWithoutLinks", "open creating", "write", "synchronize", "rename",
                    "open folder", "synchronize folder",
                ])
            // One for each part of the path; who waits for the lock; the state of the lock (2), the file, the copy and the new one (2).
            #expect(operations.count - count == 10 + file.path.parts(separatedBy: "/").count + 1 + 6)
            #expect(try text(generation) == "new")
        }
    }

    @Test("No later file is mistaken for the one that was copied, because its inode stays in use")
    func number() throws {
        try withTemporaryFolder { folder in
            let file = DurableFile(path: folder + "/file"), generation = DurableGeneration(of: file)
            let copied = try replace(file, with: "copied")
            let pin = try #require(FilePin(copied, at: file.path, file.operations))
            #expect(try generation.keep((pin, Array("copied".utf8))) { _ in false })
            for _ in 0..<20 { #expect(try replace(file, with: "new").inode != copied.inode) }
        }
    }

    @Test("A copy is made only of a state that this process has not kept yet, and again when it is gone")
    func once() throws {
        try withTemporaryFolder { folder in
            let operations = FaultyFileOperations()
            let file = DurableFile(path: folder + "/file", operations: operations), generation = DurableGeneration(of: file)
            let written = try write("state", to: file)
            func renames() throws -> Int {
                let before = operations.calls.count
                #expect(try generation.keep(written) { _ in true })
                return operations.calls[before...].count { $0 == "rename" }
            }
            #expect(try renames() == 1)
            #expect(try renames() == 0)
            try FileManager.default.removeItem(atPath: folder + "/file.durable")
            #expect(try renames() == 1)
            #expect(try text(generation) == "state")
        }
    }

    @Test("Only a file that this process did not replace itself is brought to the disk too")
    func foreign() throws {
        try withTemporaryFolder { folder in
            let operations = FaultyFileOperations()
            let file = DurableFile(path: folder + "/file", operations: operations), generation = DurableGeneration(of: file)
            func fsyncs(_ written: (file: FilePin, bytes: [UInt8])) throws -> Int {
                let before = operations.calls.count
                #expect(try generation.keep(written) { _ in true })
                return operations.calls[before...].count { $0 == "synchronize" }
            }
            let first = try write("mine", to: file)
            #expect(try fsyncs(first) == 1)
            try Data("edited in place".utf8).write(to: URL(fileURLWithPath: folder + "/file"))
            #expect(try fsyncs(first) == 2)
        }
    }

    @Test("When the copy cannot be made, the old one stays and the cause is thrown", arguments: ["write", "synchronize", "rename"])
    func failure(call: String) throws {
        try withTemporaryFolder { folder in
            let operations = FaultyFileOperations()
            let file = DurableFile(path: folder + "/file", operations: operations), generation = DurableGeneration(of: file)
            let first = try write("old", to: file)
            #expect(try generation.keep(first) { _ in true })
            let second = try write("new", to: file)
            operations.fail(call, with: .noSpace)
            #expect(throws: FileError(.replace, folder + "/file.durable", .noSpace)) {
                try generation.keep(second) { _ in true }
            }
            #expect(try text(generation) == "old")
            #expect(try names(in: folder) == ["file", "file.durable", "file.durable.lock", "file.lock"])
            operations.fail(call, with: nil)
            #expect(try generation.keep(second) { _ in true })
            #expect(try text(generation) == "new")
        }
    }

    @Test("Threads and processes that keep at once end at the last state")
    func concurrent() async throws {
        try await withTemporaryFolder { folder in
            let failures = await offPool { [folder = folder as String] in
                let failures = Guarded<[String]>([])
                DispatchQueue.concurrentPerform(iterations: 4) { number in
                    let file = DurableFile(path: folder + "/file"), generation = DurableGeneration(of: file)
                    for round in 0..<10 {
                        do {
                            let bytes = Array("\(number) \(round)".utf8)
                            let identity = try file.withLock(timeout: hangLimit) { try $0.replace(with: bytes, durably: false) }
                            let pin = FilePin(identity, at: file.path, file.operations)
                            _ = try generation.keep(pin.map { (file: $0, bytes: bytes) }) { _ in true }
                        } catch {
                            failures.withLock { $0.append("\(error)") }
                        }
                    }
                }
                return failures.withLock { $0 }
            }
            #expect(failures == [])
            let file = DurableFile(path: folder + "/file")
            let kept = try DurableGeneration(of: file).read(), last = try file.read()?.bytes
            #expect(kept == last)
            #expect(try names(in: folder) == ["file", "file.durable", "file.durable.lock", "file.lock"])
        }
    }
}

import Foundation
import Testing

@testable import StoredValues

#if canImport(Glibc)
    import Glibc
#endif

@Suite("PreferencesFile")
struct PreferencesFileTests {
    /// A handle that shares nothing with others of this process, as another process's would.
    private func open(_ path: String, operations: any FileOperations = POSIXFileOperations()) -> PreferencesFile {
        PreferencesFile(OpenPreferences(.success(DurableFile(path: path, operations: operations))))
    }

    private func mode(_ path: String) throws -> UInt32 {
        var status = stat()
        try #require(lstat(path, &status) == 0)
        return status.st_mode & 0o7777
    }

    @Test("A change is in the file when set returns: sorted, indented, for people")
    func text() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/new/folder/preferences.json"
            let storage = open(path)
            StoredValue(key: "zoom", default: 1.0, storage: storage).set(1.5)
            StoredValue(key: "editor", default: UserPreferences(), storage: storage).set(UserPreferences())
            StoredValue(key: "recent", default: [String](), storage: storage).set(["/tmp/a", "b"])
            let written = try contents(ofFile: path)
            #expect(
                written == """
                    {
                      "editor": {
                        "fontName": "Mono",
                        "fontSize": 12
                      },
                      "recent": [
                        "/tmp/a",
                        "b"
                      ],
                      "zoom": 1.5
                    }

                    """)
            #expect(try mode(path) == 0o600)
            #expect(try mode(folder + "/new/folder") == 0o700)
            #expect(try mode(folder + "/new") == 0o700)
        }
    }

    @Test("Members that nobody declared survive every write as they were written")
    func undeclared() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try #"{"unknown": {"z": 1.10, "a": [1,2]}, "big": 123456789012345678901234567890, "size": 1}"#
                .write(toFile: path, atomically: false, encoding: .utf8)
            let value = StoredValue(key: "size", default: 0, storage: open(path))
            value.set(2)
            value.reset()
            let text = try contents(ofFile: path)
            #expect(text.contains(#""unknown": {"z": 1.10, "a": [1,2]}"#))
            #expect(text.contains(#""big": 123456789012345678901234567890"#))
            #expect(!text.contains("size"))
        }
    }

    @Test("Hand edits are read on the next start, and before a change is written over them")
    func handEdits() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let first = StoredValue(key: "a", default: 0, storage: open(path))
            first.set(1)
            try #"{"a": 5, "b": 6}"#.write(toFile: path, atomically: false, encoding: .utf8)
            #expect(StoredValue(key: "a", default: 0, storage: open(path)).wrappedValue == 5)
            first.update { $0 += 1 }
            #expect(first.wrappedValue == 6)
            #expect(StoredValue(key: "b", default: 0, storage: open(path)).wrappedValue == 6)
        }
    }

    @Test("Two processes that change different keys, or update one, lose nothing")
    func twoProcesses() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            await withTaskGroup { group in
                for process in 0..<4 {
                    group.addTask {
                        let storage = open(path)
                        for number in 0..<50 {
                            StoredValue(key: "own-\(process)-\(number)", default: 0, storage: storage).set(1)
                            StoredValue(key: "shared", default: 0, storage: storage).update { $0 += 1 }
                        }
                    }
                }
            }
            let storage = open(path)
            #expect(StoredValue(key: "shared", default: 0, storage: storage).wrappedValue == 200)
            #expect(storage.keys.count == 201)
        }
    }

    @Test(
        "A file that does not parse is read as empty, put aside before the first write, and never lost",
        arguments: ["{\"a\": 1,", "not json", "", "[1]"])
    func rejected(text: String) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/preferences.json"
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            let value = StoredValue(key: "a", default: 0, storage: open(path))
            #expect(value.wrappedValue == 0)
            #expect(try contents(ofFile: path) == text)
            value.set(2)
            value.set(3)
            let rejected = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("preferences.json.rejected-") }
            #expect(rejected.count == 1)
            #expect(try contents(ofFile: folder + "/" + rejected[0]) == text)
            #expect(try contents(ofFile: path) == "{\n  \"a\": 3\n}\n")
        }
    }

    @Test("A file that breaks while the program runs leaves the last good values in use")
    func brokenLater() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let storage = open(path)
            let a = StoredValue(key: "a", default: 0, storage: storage), b = StoredValue(key: "b", default: 0, storage: storage)
            a.set(1)
            try "{".write(toFile: path, atomically: false, encoding: .utf8)
            b.set(2)
            #expect(a.wrappedValue == 1)
            #expect(open(path).keys == ["a", "b"])
        }
    }

    @Test("A change that cannot be written stays in memory, is thrown by flush, and is written when the cause is gone", arguments: ["write", "rename", "makeFolder", "lock"])
    func failure(call: String) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/new/p.json"
            let operations = FaultyFileOperations(failing: [call: call == "write" ? .noSpace : .accessDenied])
            let storage = open(path, operations: operations)
            let value = StoredValue(key: "a", default: 0, storage: storage)
            value.set(1)
            value.update { $0 += 1 }
            #expect(value.wrappedValue == 2 && value.isStored)
            let error = await #expect(throws: PreferencesError.self) { try await storage.flush() }
            let text = try #require(error).description
            #expect(text.contains(path) && text.contains(call == "write" ? "ENOSPC" : "EACCES"))
            operations.fail(call, with: nil)
            try await storage.flush()
            #expect(StoredValue(key: "a", default: 0, storage: open(path)).wrappedValue == 2)
        }
    }

    @Test("After a failed fsync the file is written anew, for Linux has dropped its pages")
    func failedSync() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let operations = FaultyFileOperations(failing: ["synchronize": .ioFailed])
            let storage = open(path, operations: operations)
            StoredValue(key: "a", default: 0, storage: storage).set(1)
            await #expect(throws: PreferencesError.self) { try await storage.flush() }
            operations.fail("synchronize", with: nil)
            let renames = operations.calls.count { $0 == "rename" }
            try await storage.flush()
            #expect(operations.calls.count { $0 == "rename" } == renames + 1)
        }
    }

    @Test("flush is an fsync of the file and of its folder")
    func flush() async throws {
        try await withTemporaryFolder { folder in
            let operations = FaultyFileOperations()
            let storage = open(folder + "/p.json", operations: operations)
            StoredValue(key: "a", default: 0, storage: storage).set(1)
            let before = operations.calls.count
            try await storage.flush()
            let after = operations.calls[before...].filter { $0.hasPrefix("synchronize") }
            #expect(Array(after.prefix(2)) == ["synchronize", "synchronize folder"])
        }
    }

    @Test("A batch is one replacement, seen at once inside")
    func batch() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let operations = FaultyFileOperations()
            let storage = open(path, operations: operations)
            let values = (0..<20).map { StoredValue(key: "\($0)", default: 0, storage: storage) }
            let sum = storage.batch {
                for (number, value) in values.enumerated() { value.set(number) }
                values[0].update { $0 += 100 }
                return values.map(\.wrappedValue).reduce(0, +)
            }
            #expect(sum == 290)
            #expect(operations.calls.count { $0 == "rename" } == 1)
            #expect(open(path).keys.count == 20)
        }
    }

    @Test("A batch that throws keeps what it had changed")
    func throwingBatch() throws {
        struct Refusal: Error {}
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let storage = open(path)
            #expect(throws: Refusal.self) {
                try storage.batch {
                    StoredValue(key: "a", default: 0, storage: storage).set(1)
                    throw Refusal()
                }
            }
            #expect(open(path).keys == ["a"])
        }
    }

    @Test("An item that cannot be encoded changes nothing, and flush says so once")
    func notEncodable() async throws {
        struct Stubborn: Codable, Sendable {
            var number: Int
            func encode(to encoder: any Encoder) throws {
                guard number < 10 else { throw EncodingError.invalidValue(number, .init(codingPath: [], debugDescription: "too large for me")) }
                var container = encoder.singleValueContainer()
                try container.encode(number)
            }
            init(_ number: Int) { self.number = number }
            init(from decoder: any Decoder) throws { number = try decoder.singleValueContainer().decode(Int.self) }
        }
        try await withTemporaryFolder { folder in
            let storage = open(folder + "/p.json")
            let value = StoredValue(key: "a", default: Stubborn(0), storage: storage)
            value.set(Stubborn(1))
            value.set(Stubborn(11))
            value.update { $0.number = 12 }
            #expect(value.wrappedValue.number == 1)
            let error = await #expect(throws: PreferencesError.self) { try await storage.flush() }
            #expect(try #require(error).description.contains("too large for me"))
            try await storage.flush()
        }
    }

    @Test("Without a home folder values stay in memory and flush says why")
    func noHome() async throws {
        let storage = PreferencesFile(OpenPreferences(.failure(.noHomeFolder)))
        let value = StoredValue(key: "a", default: 0, storage: storage)
        value.set(1)
        value.update { $0 += 1 }
        #expect(value.wrappedValue == 2)
        await #expect(throws: PreferencesError.noHomeFolder) { try await storage.flush() }
    }

    @Test("While another process keeps the lock, a change waits 2 s at most, is kept, and is written once the lock is free")
    func lockKept() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let storage = open(path)
            let value = StoredValue(key: "a", default: 0, storage: storage)
            var lock: LockedFile? = try DurableFile(path: path).lock()
            let first = await offPool { ContinuousClock().measure { value.set(1) } }
            #expect(first >= .seconds(2) && first < .seconds(4))
            let next = await offPool { ContinuousClock().measure { for number in 2...10 { value.update { $0 = number } } } }
            #expect(next < .seconds(1), "those behind the first do not wait again")
            #expect(value.wrappedValue == 10)
            #expect(open(path).keys == [])
            _ = lock.take()
            try await eventually("the pending change is written") { open(path).keys == ["a"] }
            #expect(StoredValue(key: "a", default: 0, storage: open(path)).wrappedValue == 10)
        }
    }
}

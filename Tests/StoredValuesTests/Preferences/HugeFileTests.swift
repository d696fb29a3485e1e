import Foundation
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

@Suite("Huge preferences files", .heavy, .hangLimit)
struct HugeFileTests {}

extension HugeFileTests {
    /// A file of `count` bytes: "n" is 7, and the rest is one long text that nobody declares.
    private func write(_ count: Int, to path: String) throws {
        let start = Data("{\n  \"n\": 7,\n  \"s\": \"".utf8), end = Data("\"\n}\n".utf8)
        var data = Data(repeating: UInt8(ascii: "x"), count: count)
        data.replaceSubrange(..<start.count, with: start)
        data.replaceSubrange((count - end.count)..., with: end)
        try data.write(to: URL(fileURLWithPath: path))
    }

    private func size(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    }

    @Test("A file of 64 MiB is read, and changed as long as it does not grow")
    func largest() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try write(DurableFile.sizeLimit, to: path)
            let storage = PreferencesFile.ofAnotherProcess(path)
            let n = StoredValue(key: "n", default: -1, storage: storage)
            #expect(n.wrappedValue == 7)
            n.set(8)
            try await storage.flush()
            #expect(try size(path) == DurableFile.sizeLimit)
            n.set(10)
            let error = await #expect(throws: PreferencesError.self) { try await storage.flush() }
            #expect(try #require(error).description.contains("64 MiB"))
            #expect(n.wrappedValue == 8)
            #expect(try size(path) == DurableFile.sizeLimit)
        }
    }

    @Test("A file of one byte more is named, and left alone")
    func tooLarge() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try write(DurableFile.sizeLimit + 1, to: path)
            let storage = PreferencesFile.ofAnotherProcess(path)
            let n = StoredValue(key: "n", default: -1, storage: storage)
            #expect(n.wrappedValue == -1)
            n.set(8)
            #expect(n.wrappedValue == 8)
            let error = await #expect(throws: PreferencesError.self) { try await storage.flush() }
            let text = try #require(error).description
            #expect(text.contains(path) && text.contains("64 MiB"))
            #expect(try size(path) == DurableFile.sizeLimit + 1)
        }
    }
}

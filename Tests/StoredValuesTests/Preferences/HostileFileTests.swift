import Foundation
import Logging
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

@Suite("Hostile preferences files", .heavy, .hangLimit)
struct HostileFileTests {}

extension HostileFileTests {
    private func rejectedFiles(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains(".rejected-") }.map { folder + "/" + $0 }
    }

    private func bytes(ofFile path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    @Test("The reader reads it, or says what is wrong where", arguments: HostileFile.all)
    func reader(file: HostileFile) throws {
        switch file.outcome {
        case .read:
            let document = try PreferencesDocument(parsing: file.bytes)
            #expect(document["n"] != nil)
        case .rejected(let error):
            #expect(throws: error) { try PreferencesDocument(parsing: file.bytes) }
        }
    }

    @Test("Reading gives the right value or the default, and leaves the file as it is", arguments: HostileFile.all)
    func reading(file: HostileFile) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try writeFinished(file.bytes, to: path)
            let storage = PreferencesFile(path: path)
            let n = StoredValue(key: "n", default: -1, storage: storage)
            switch file.outcome {
            case .read(let value): #expect(n.wrappedValue == value && n.isStored)
            case .rejected: #expect(n.wrappedValue == -1 && !n.isStored)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["p.json"])
            try await storage.flush()
            #expect(try bytes(ofFile: path) == file.bytes)
        }
    }

    @Test("A change keeps every member that was read, or the whole file beside", arguments: HostileFile.small)
    func writing(file: HostileFile) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try writeFinished(file.bytes, to: path)
            let storage = PreferencesFile(path: path)
            StoredValue(key: "new", default: 0, storage: storage).set(1)
            try await storage.flush()
            let written = try PreferencesDocument(parsing: bytes(ofFile: path))
            #expect(written["new"] == Array("1".utf8))
            switch file.outcome {
            case .read:
                let before = try PreferencesDocument(parsing: file.bytes)
                #expect(written.text == before.applying(["new": Array("1".utf8)]).text)
                for key in before.keys { #expect(written[key] == before[key]) }
                #expect(try rejectedFiles(in: folder) == [])
            case .rejected:
                #expect(written.keys == ["new"])
                let rejected = try #require(try rejectedFiles(in: folder).first)
                #expect(try bytes(ofFile: rejected) == file.bytes)
            }
        }
    }

    @Test("After a repair by hand while the program runs, the next change is added to it", arguments: HostileFile.small)
    func repairing(file: HostileFile) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try writeFinished(file.bytes, to: path)
            let storage = PreferencesFile(path: path)
            let n = StoredValue(key: "n", default: -1, storage: storage)
            _ = n.wrappedValue
            try writeFinished(Array(#"{"n": 1, "s": 2.50}"#.utf8), to: path)
            n.update { $0 += 1 }
            try await storage.flush()
            #expect(try contents(ofFile: path) == "{\n  \"n\": 2,\n  \"s\": 2.50\n}\n")
            #expect(try rejectedFiles(in: folder) == [])
        }
    }

    @Test("What is no JSON makes one log line when it is opened, which names file, line and column")
    func logLine() async throws {
        _ = try await withTemporaryFolder { folder in
            await #expect(processExitsWith: .success) { [folder = folder as String] in
                LoggingSystem.bootstrap { _ in RecordingLogHandler() }
                for (number, file) in HostileFile.small.enumerated() {
                    let path = folder + "/\(number).json"
                    try writeFinished(file.bytes, to: path)
                    let n = StoredValue(key: "n", default: "", storage: PreferencesFile(path: path))
                    _ = n.isStored
                    let logged = RecordingLogHandler.takeLines()
                    if case .rejected(let error) = file.outcome {
                        #expect(logged.count == 1, "\(file)")
                        #expect(logged.allSatisfy { $0.contains(path) && $0.contains("line \(error.line), column \(error.column)") }, "\(file): \(logged)")
                    } else {
                        #expect(logged == [], "\(file)")
                    }
                }
            }
        }
    }

    @Test("A broken file that cannot be replaced makes no log line more with each further change")
    func noFlood() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try writeFinished(Array("{ broken".utf8), to: path)
            await #expect(processExitsWith: .success) { [path = path as String] in
                LoggingSystem.bootstrap { _ in RecordingLogHandler() }
                let operations = FaultyFileOperations(failing: ["rename": .noSpace])
                let n = StoredValue(key: "n", default: 0, storage: .ofAnotherProcess(path, operations: operations))
                for number in 1...10 { n.set(number) }
                let logged = RecordingLogHandler.takeLines()
                #expect(logged.count == 2, "\(logged)")  // it is no JSON; it cannot be set aside
                operations.fail("rename", with: nil)
                n.set(11)
                operations.fail("rename", with: .noSpace)
                n.set(12)
                #expect(RecordingLogHandler.takeLines().last?.contains("ENOSPC") == true, "a trouble that comes again is news again")
            }
        }
    }
}

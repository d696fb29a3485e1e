import Foundation
import Locking
import Logging
import Testing

@testable import StoredValues

@Suite("Preferences files that nobody expects", .timeLimit(.minutes(2)))
struct HostileFileTests {
    private func rejectedFiles(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains(".rejected-") }.map { folder + "/" + $0 }
    }

    private func bytes(ofFile path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    @Test("The reader reads it, or says what is wrong where", arguments: HostileFile.all)
    func reader(file: HostileFile) throws {
        switch file.outcome {
        case .read:
            let document = try PreferencesDocument(parsing: file.bytes)
            #expect(document.keys.contains("n"))
        case .rejected(let error):
            #expect(throws: error) { try PreferencesDocument(parsing: file.bytes) }
        }
    }

    @Test("Reading gives the right value or the default, and leaves the file as it is", arguments: HostileFile.all)
    func reading(file: HostileFile) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try write(file.bytes, to: path)
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

    @Test("A change keeps every member that was read, or the whole file beside", arguments: HostileFile.all)
    func writing(file: HostileFile) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try write(file.bytes, to: path)
            let storage = PreferencesFile(path: path)
            StoredValue(key: "new", default: 0, storage: storage).set(1)
            try await storage.flush()
            let written = try PreferencesDocument(parsing: bytes(ofFile: path))
            #expect(written["new"] == Array("1".utf8))
            switch file.outcome {
            case .read:
                let before = try PreferencesDocument(parsing: file.bytes)
                #expect(written.text == before.applying(["new": Array("1".utf8)]).text)
                for key in file.bytes.count < 100_000 ? before.keys : [] { #expect(written[key] == before[key]) }
                #expect(try rejectedFiles(in: folder) == [])
            case .rejected:
                #expect(written.keys == ["new"])
                let rejected = try #require(try rejectedFiles(in: folder).first)
                #expect(try bytes(ofFile: rejected) == file.bytes)
            }
        }
    }

    @Test("Once it is repaired by hand while the program runs, the next change joins what stands there", arguments: HostileFile.small)
    func repairing(file: HostileFile) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try write(file.bytes, to: path)
            let storage = PreferencesFile(path: path)
            let n = StoredValue(key: "n", default: -1, storage: storage)
            _ = n.wrappedValue
            try write(Array(#"{"n": 1, "s": 2.50}"#.utf8), to: path)
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
                let lines = Guarded<[String]>([])
                LoggingSystem.bootstrap { _ in RecordingLogHandler { line in lines.withLock { $0.append(line) } } }
                for (number, file) in HostileFile.small.enumerated() {
                    let path = folder + "/\(number).json"
                    try Data(file.bytes).write(to: URL(fileURLWithPath: path))
                    let n = StoredValue(key: "n", default: "", storage: PreferencesFile(path: path))
                    _ = n.isStored
                    let logged = lines.withLock { lines in
                        defer { lines = [] }
                        return lines
                    }
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
            try "{ broken".write(toFile: path, atomically: false, encoding: .utf8)
            await #expect(processExitsWith: .success) { [path = path as String] in
                let lines = Guarded<[String]>([])
                LoggingSystem.bootstrap { _ in RecordingLogHandler { line in lines.withLock { $0.append(line) } } }
                let operations = FaultyFileOperations(failing: ["rename": .noSpace])
                let n = StoredValue(key: "n", default: 0, storage: .ofAnotherProcess(path, operations: operations))
                for number in 1...10 { n.set(number) }
                let logged = lines.withLock { $0 }
                #expect(logged.count == 2, "\(logged)")  // it is no JSON; it cannot be put aside
                operations.fail("rename", with: nil)
                n.set(11)
                operations.fail("rename", with: .noSpace)
                n.set(12)
                #expect(lines.withLock { $0.last }?.contains("ENOSPC") == true, "a trouble that comes again is news again")
            }
        }
    }
}

/// Hands every message on.
private struct RecordingLogHandler: LogHandler {
    let record: @Sendable (String) -> Void
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    init(_ record: @escaping @Sendable (String) -> Void) { self.record = record }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { record("\(event.message)") }
}

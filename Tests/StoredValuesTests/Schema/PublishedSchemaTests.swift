import Foundation
import Testing

@testable import StoredValues

@Suite("Publishing a schema", .hangLimit)
struct PublishedSchemaTests {
    private let processes = TestProcesses()
}

extension PublishedSchemaTests {
    /// Runs a program of this name that publishes these keys and ends.
    private func publish(_ calls: String, file: String = "", by program: String = "TestProcess", in folder: String) async throws {
        let command = try TestProcess.command(["publish", "demo", file, calls])
        let path = "\(folder)/\(program)"
        // By another process: a program that is open for writing here cannot be started, nor where it was open when another was.
        let copy = try await FinishedProgram.run(["/bin/cp", "--no-clobber", command[0], path], environment: [:], in: folder)
        #expect(copy.status == 0, "\(copy)")
        let environment = ["HOME": folder, "PATH": "/usr/bin:/bin"]
        while true {
            let process = try processes.start(command: [path] + command.dropFirst(), environment: environment)
            #expect(try await process.lines() == ["done"])
            _ = try await process.end()
            // On a busy machine another one may have the file for longer than this one waits.
            if process.logs.contains(where: { $0.contains("has kept its lock") }) { continue }
            return #expect(process.logs == [])
        }
    }

    private func schema(_ name: String = "preferences", in folder: String) throws -> JSONValue {
        try JSONValue(parsing: contents(ofFile: path(name, in: folder)))
    }

    private func path(_ name: String = "preferences", in folder: String) -> String { "\(folder)/.local/share/demo/\(name).schema.json" }

    private func keys(_ name: String = "preferences", in folder: String) throws -> [String] {
        try schema(name, in: folder)["properties"]?.objectValue?.keys.sorted() ?? []
    }

    /// What says that a file was replaced or written.
    private func state(in folder: String) throws -> [Int64] {
        var status = stat()
        try #require(stat(path(in: folder), &status) == 0)
        return [Int64(status.st_ino), Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec)]
    }

    @Test("The calls of one run add up, and replace what the program published before, whichever call it was")
    func runs() async throws {
        try await withTemporaryFolder { folder in
            try await publish("limit=60,theme=light;zoom=1", in: folder)
            #expect(try keys(in: folder) == ["limit", "theme", "zoom"])
            #expect(try schema(in: folder)["properties"]?["limit"]?["x-stored-values-programs"] == ["TestProcess": 1])
            #expect(try schema(in: folder)["properties"]?["zoom"]?["x-stored-values-programs"] == ["TestProcess": 2])
            try await publish("limit=60,font=Sans;zoom=1", in: folder)
            #expect(try keys(in: folder) == ["font", "limit", "zoom"])
            try await publish("limit=60", in: folder)
            #expect(try keys(in: folder) == ["limit"])
            try await publish("limit=many", in: folder)
            #expect(try schema(in: folder)["properties"]?["limit"]?["type"] == "string")
        }
    }

    @Test("A run that ends removes what an earlier one published, but nothing that a later one has published meanwhile")
    func end() throws {
        try withTemporaryFolder { folder in
            let path = "\(folder)/s.schema.json"
            func keys() throws -> [String] { try JSONValue(parsing: contents(ofFile: path))["properties"]?.objectValue?.keys.sorted() ?? [] }
            let runs = (0..<3).map { _ in SchemaRun(at: path) }
            try runs[0].publish(["limit": ["minimum": 1], "zoom": [:]])
            try runs[0].publish(["old": [:]])
            try runs[1].publish(["limit": ["minimum": 1]])
            #expect(try keys() == ["limit", "old"], "of the first call")
            try runs[1].end()
            #expect(try keys() == ["limit"])
            try runs[2].publish(["limit": ["minimum": 2], "theme": [:]])
            try runs[1].end()
            #expect(try keys() == ["limit", "theme"])
            #expect(try JSONValue(parsing: contents(ofFile: path))["properties"]?["limit"]?["minimum"] == 2)
        }
    }

    @Test("Publishing the same again writes nothing, in one call or in several", arguments: ["limit=60,theme=light", "limit=60;theme=light;zoom=1"])
    func again(calls: String) async throws {
        try await withTemporaryFolder { folder in
            try await publish(calls, in: folder)
            let before = try state(in: folder), text = try contents(ofFile: path(in: folder))
            for _ in 0..<2 { try await publish(calls, in: folder) }
            let after = try state(in: folder), newText = try contents(ofFile: path(in: folder))
            #expect(after == before && newText == text)
        }
    }

    @Test("Each program replaces what is its own, and a key of two stays with the other")
    func programs() async throws {
        try await withTemporaryFolder { folder in
            try await publish("limit=60,theme=light", by: "one", in: folder)
            try await publish("limit=60,zoom=1", by: "other", in: folder)
            #expect(try schema(in: folder)["properties"]?["limit"]?["x-stored-values-programs"] == ["one": 1, "other": 1])
            let before = try state(in: folder)
            try await publish("limit=60,theme=light", by: "one", in: folder)
            try await publish("limit=60,zoom=1", by: "other", in: folder)
            #expect(try state(in: folder) == before)
            try await publish("theme=light", by: "one", in: folder)
            #expect(try keys(in: folder) == ["limit", "theme", "zoom"])
            try await publish("zoom=1", by: "other", in: folder)
            #expect(try keys(in: folder) == ["theme", "zoom"])
        }
    }

    @Test("Many programs that publish at once lose nothing")
    func atOnce() async throws {
        try await withTemporaryFolder { folder in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 { group.addTask { try await publish("key-\(number)=1;more-\(number)=1", by: "program-\(number)", in: folder) } }
                try await group.waitForAll()
            }
            #expect(try keys(in: folder).count == 16)
        }
    }

    @Test("A named file has a schema of its name, and a broken schema is replaced")
    func named() async throws {
        try await withTemporaryFolder { folder in
            try await publish("limit=60", file: "editor", in: folder)
            #expect(try keys("editor", in: folder) == ["limit"])
            try "{oops".write(toFile: path("editor", in: folder), atomically: false, encoding: .utf8)
            try await publish("limit=60", file: "editor", in: folder)
            #expect(try keys("editor", in: folder) == ["limit"])
            #expect(!FileManager.default.fileExists(atPath: path(in: folder)))
        }
    }

    @Test("In a temporary storage the schema is there and nowhere else; a file named by its path has it beside it, and values in memory have none")
    func places() throws {
        let keys = [AnyStoredKey(StoredKey("limit", default: 60, formerKeys: ["maximum"]))]
        try withTemporaryStorage {
            PreferencesFile.standard.publishSchema(of: keys)
            let folder = URL(fileURLWithPath: PreferencesFile.standard.path).deletingLastPathComponent().path
            let schema = try JSONValue(parsing: contents(ofFile: "\(folder)/preferences.schema.json"))
            #expect(schema["properties"]?["limit"]?["default"] == 60)
            #expect(PreferencesFile.standard.publishedSchema()?.keys == ["limit", "maximum"])
        }
        withTemporaryStorage { #expect(PreferencesFile.standard.publishedSchema() == nil) }
        PreferencesFile.inMemory().publishSchema(of: keys)
        try withTemporaryFolder { folder in
            PreferencesFile(path: "\(folder)/settings.json").publishSchema(of: keys)
            let schema = try JSONValue(parsing: contents(ofFile: "\(folder)/settings.schema.json"))
            #expect(schema["properties"]?["limit"]?["type"] == "integer")
        }
    }

    @Test("The elements of a set in another order are the same")
    func sets() throws {
        let entry: (JSONValue) -> JSONValue = { ["type": "array", "default": $0] }
        var schema = PublishedSchema()
        var run = SchemaRun.Published(calls: 1, entries: ["set": (entry(["a", "b"]), 1)])
        schema.take(run, of: "p", isAll: false)
        let before = schema.json
        run.entries["set"] = (entry(["b", "a"]), 1)
        schema.take(run, of: "p", isAll: false)
        #expect(schema.json == before)
    }

    @Test("A schema that cannot be written is logged, and the program goes on")
    func refused() async throws {
        try await withTemporaryFolder { folder in
            try "".write(toFile: "\(folder)/.local", atomically: false, encoding: .utf8)
            let process = try processes.start("publish", "demo", "", "limit=60", environment: ["HOME": folder])
            #expect(try await process.lines() == ["done"])
            #expect(process.logs.count == 1 && process.logs[0].contains("could not be published") && process.logs[0].contains("\(folder)/.local"), "\(process.logs)")
        }
    }
}

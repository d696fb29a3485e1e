#if Fleet
    import Foundation
    import StoredValues
    import StoredValuesFleet
    import Testing

    @Suite("Fleet: schemas", .hangLimit)
    struct FleetSchemaTests {}

    extension FleetSchemaTests {
        /// Words that this version does not know are of a later one.
        private static let schema = """
            {"type": "object", "x-later": 1, "properties": {
              "limit": {"type": "integer", "minimum": 0, "maximum": 100, "x-later": {}}, "theme": {"type": "string", "enum": ["light", "dark"]}}}
            """

        private func publish(_ schema: String, _ fleet: TestFleet) async throws {
            let run = try await fleet.tool().run(["schema", "publish", "-"], input: schema)
            #expect(run.status == 0 && run.output == "" && run.errors == "", "\(run)")
        }

        @Test("What the published schema does not allow is refused by set before anything is written, with the rule; --force stores it, which the log says")
        func tool() async throws {
            try await withFleet { fleet in
                #expect(try await fleet.tool().run("schema", "show").status == 1)
                try await fleet.run("set", "limit", "500")
                try await publish(Self.schema, fleet)
                #expect(try await JSONValue(text: fleet.run("schema", "show")) == JSONValue(text: Self.schema))
                let machine = try fleet.machine("web-1")
                _ = try machine.startAgent()
                try await machine.wait(for: ["limit": "500"])
                let before = try await fleet.etcd.revision()
                for (arguments, words) in [(["limit", "101"], "100"), (["limit", "x"], "whole number"), (["theme", "blue"], "dark"), (["limti", "1"], "Did you mean \"limit\"?")] {
                    let run = try await fleet.tool().run(["set"] + arguments)
                    #expect(run.status == 65 && run.errors.contains(words) && run.errors.contains("--force"), "\(run)")
                }
                #expect(try await fleet.etcd.revision() == before)
                try await fleet.run("set", "theme", "dark")
                try await fleet.run("set", "limit", "7", "--group", "canary")
                try await fleet.run("set", "theme", "blue", "--force")
                #expect(try await fleet.run("log", "--limit", "1").contains("(forced: "))
                try await machine.wait(for: ["limit": "500", "theme": "\"blue\""])
                try await machine.waitUntilCurrent()
                try await fleet.run("schema", "remove")
                try await fleet.run("set", "limit", "600")
                #expect(try await fleet.tool().run("schema", "remove").errors.contains("There was no schema"))
                #expect(try await fleet.tool().run(["schema", "publish", "-"], input: "[]").status == 65)
                let file = "\(fleet.folder)/schema.json"
                for (path, words) in [(file, file), (fleet.folder, "a folder")] {
                    let run = try await fleet.tool().run("schema", "publish", path)
                    #expect(run.status == 74 && run.errors.contains(words), "\(run)")
                }
                try Self.schema.write(toFile: file, atomically: true, encoding: .utf8)
                try await fleet.run("schema", "publish", file)
                #expect(try await fleet.tool().run("set", "limit", "600").status == 65)
                // As the article shows it.
                try await publish(#"{"type": "object", "properties": {"limit": {"type": "integer", "minimum": 0}}}"#, fleet)
                let low = try await fleet.tool().run("set", "limit", "--", "-5")
                #expect(low.status == 65 && low.errors.contains("it must be a whole number of at least 0"), "\(low)")
            }
        }

        @Test("Programs refuse it, too, by the schema of the moment of the change, although they heard of it after they began")
        func library() async throws {
            try await withFleet { fleet in
                let client = try fleet.client()
                try await client.set("limit", to: 500)
                try await publish(Self.schema, fleet)
                let before = try await fleet.etcd.revision()
                for attempt in 0..<5 {
                    // The first time one that has not heard of any schema, the second time one that knows that there was none: for a key that is not there.
                    let client = try attempt == 0 ? fleet.client() : client
                    // On a busy machine a question may get no answer, so that the outcome is not known; then again.
                    var error: FleetError?
                    repeat {
                        error = await #expect(throws: FleetError.self) {
                            switch attempt {
                            case 0, 1: try await client.set("theme", to: "blue")
                            case 2: try await client.set("limit", to: 101)
                            case 3: try await client.update("limit", default: 0) { $0 += 1 }
                            default:
                                try await client.batch { batch throws(FleetError) in
                                    try batch.set("limit", to: 1)
                                    try batch.set("theme", to: "blue")
                                }
                            }
                        }
                    } while error?.outcome == .mayHaveHappened
                    #expect(error?.reason == .notValid && error?.outcome == .didNotHappen && error?.description.contains([2, 3].contains(attempt) ? "100" : "dark") == true)
                    #expect(error?.description.contains("may have been made") == false)
                }
                #expect(try await fleet.etcd.revision() == before)
                try await client.batch { batch throws(FleetError) in
                    try batch.set("limit", to: 100)
                    try batch.set("other", to: "anything")
                    try batch.reset("theme")
                }
                // Another one allows more, which this program hears only by being refused.
                try await publish(Self.schema.replacing("100", with: "200"), fleet)
                try await client.set("limit", to: 150)
                try await publish("{}", fleet)
                try await client.set("limit", to: "text")
                try await fleet.etcd.put("\(TestFleet.settings)schema", "not a schema")
                try await client.set("limit", to: 1)
                #expect(try await client.value("limit", as: Int.self) == 1)
            }
        }
    }
#endif

#if Fleet
    import Foundation
    import StoredValues
    import Testing

    @Suite("stored-values-fleet: settings", .hangLimit)
    struct FleetCommandsTests {}

    extension FleetCommandsTests {
        @Test("A setting is for everyone, for a group or for a host: the narrower wins, and of two groups the one that the agent names later")
        func targets() async throws {
            try await withFleet { fleet in
                try await fleet.run("set", "limit", "100")
                try await fleet.run("set", "limit", "200", "--group", "canary")
                try await fleet.run("set", "limit", "300", "--group", "eu")
                try await fleet.run("set", "limit", "400", "--host", "web-4")
                try await fleet.run("set", "theme", "dark", "--host", "web-1")
                let machines = try [
                    (fleet.machine("web-1"), ["limit": "100", "theme": "\"dark\""]),
                    (fleet.machine("web-2", groups: ["canary", "eu"]), ["limit": "300"]),
                    (fleet.machine("web-3", groups: ["eu", "canary"]), ["limit": "200"]),
                    (fleet.machine("web-4", groups: ["canary"]), ["limit": "400"]),
                ]
                for (machine, values) in machines {
                    _ = try machine.startAgent()
                    try await machine.wait(for: values)
                }
                #expect(
                    try await fleet.run("list") == """
                        limit\teveryone\t100
                        limit\tgroup canary\t200
                        limit\tgroup eu\t300
                        limit\thost web-4\t400
                        theme\thost web-1\t"dark"

                        """)
                #expect(try await fleet.run("list", "--group", "eu") == "limit\tgroup eu\t300\n")
                try await fleet.run("reset", "limit", "--host", "web-4")
                try await machines[3].0.wait(for: ["limit": "200"])
                try await fleet.run("reset", "limit", "--group", "canary")
                try await machines[3].0.wait(for: ["limit": "100"])
                try await machines[2].0.wait(for: ["limit": "300"])
                try await fleet.run("reset", "limit")
                try await machines[3].0.wait(for: [:])
            }
        }

        @Test("get prints what is set for one target itself, a string as it is and anything else as JSON; what is not set has status 1")
        func get() async throws {
            try await withFleet { fleet in
                let tool = try fleet.tool()
                try await fleet.run("set", "theme", "dark")
                try await fleet.run("set", "size", #"{"w": 1, "h": [true]}"#, "--group", "canary")
                #expect(try await fleet.run("get", "theme") == "dark\n")
                #expect(try await fleet.run("get", "theme", "--json") == "\"dark\"\n")
                #expect(try await fleet.run("get", "size", "--group", "canary") == "{\n  \"h\": [\n    true\n  ],\n  \"w\": 1\n}\n")
                let absent = try await tool.run("get", "size")
                #expect(absent.status == 1 && absent.output == "" && absent.errors.contains("\"size\" is not set for everyone"), "\(absent)")
                let other = try await tool.run("get", "theme", "--host", "web-1")
                #expect(other.status == 1 && other.errors.contains("host web-1"), "\(other)")
                let reset = try await tool.run("reset", "theme"), again = try await tool.run("reset", "theme", "--group", "canary")
                #expect(reset.status == 0 && reset.errors.isEmpty, "\(reset)")
                #expect(again.status == 0 && again.output == "" && again.errors.contains("note: \"theme\" was not set for group canary."), "\(again)")
                #expect(try await tool.run("get", "theme").status == 1)
                #expect(try await tool.with(["STORED_VALUES_APP": "other"]).run("list").output == "")
            }
        }

        @Test("set notes that a value is of another kind than the stored one, and changes it all the same")
        func anotherKind() async throws {
            try await withFleet(isSecure: false) { fleet in
                let tool = try fleet.tool()
                #expect(try await tool.run("set", "limit", "60").errors.isEmpty)
                let run = try await tool.run("set", "limit", "\"text\"")
                #expect(run.status == 0 && run.errors.contains("note: \"limit\" was a number and is now a string."), "\(run)")
                #expect(try await fleet.run("get", "limit") == "text\n")
                #expect(try await tool.run("set", "limit", "more").errors.isEmpty)
                #expect(try await tool.run("set", "limit", "5", "--group", "canary").errors.isEmpty)
            }
        }

        @Test("list --json tells of each setting all that is known: for whom, who wrote it, when and at which revision")
        func listAsJSON() async throws {
            try await withFleet { fleet in
                try await fleet.run("set", "limit", "200", "--group", "canary")
                let revision = try await fleet.etcd.revision()
                let list = try #require(try await JSONValue(text: fleet.run("list", "--json"))?.arrayValue)
                let setting = try #require(list.first)
                #expect(list.count == 1 && setting["key"]?.stringValue == "limit" && setting["for"]?.stringValue == "group/canary")
                #expect(setting["value"]?.intValue == 200 && setting["revision"]?.intValue == revision)
                #expect(setting["by"]?.stringValue?.contains("@") == true)
                let time = try #require(setting["at"]?.stringValue)
                #expect(try Date(time, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)) <= .now)
            }
        }

        @Test("Every JSON value arrives on a machine as it was typed, to the byte")
        func odd() async throws {
            let texts = [
                "1e400", "0.10", "-0", "-0.0", "1E+5", "123456789012345678901234567890", "null", "[]", "{}", #""""#, #""a\tb\u0001é😀""#,
                #"[[[[[[[[]]]]]]]]"#, #"{"": {"$x": [1, 2.50, "ä"]}}"#,
            ]
            try await withFleet(isSecure: false) { fleet in
                var expected: [String: String] = [:]
                for (index, json) in texts.enumerated() {
                    expected["odd-\(index)"] = json
                    try await fleet.run("set", "odd-\(index)", "--", json)
                    let raw = try #require(try await fleet.etcd.value("\(TestFleet.settings)everyone/odd-\(index)"))
                    #expect(raw.contains("\"value\": \(json)"), "\(raw)")
                }
                let machine = try fleet.machine("web-1")
                _ = try machine.startAgent()
                try await machine.wait(for: expected)
            }
        }

        @Test("A value that programs could not read again is refused, and nothing is stored")
        func tooDeep() async throws {
            try await withFleet(isSecure: false) { fleet in
                let tool = try fleet.tool()
                // As deep as JSON may be; the record is one level more.
                let parses = (1...2000).last { JSONValue(text: String(repeating: "[", count: $0) + String(repeating: "]", count: $0)) != nil }
                let depth = try #require(parses)
                let run = try await tool.run("set", "deep", String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
                #expect(run.status == 65 && run.errors.contains("nested too deeply"), "\(run)")
                for value in [String(repeating: "[", count: depth + 1), #"{"é": 1, "e\#u{301}": 2}"#] {
                    let run = try await tool.run("set", "deep", value)
                    #expect(run.status == 65 && run.errors.contains("would not be read as it is"), "\(run)")
                }
                let text = try await tool.run("set", "word", "dark", "--json")
                #expect(text.status == 65 && text.errors.contains("not JSON"), "\(text)")
                #expect(try await fleet.etcd.entries().isEmpty)
            }
        }

        @Test("A key is any text: with slashes, spaces, quotes and accents, composed or not, and each is another one")
        func keys() async throws {
            let keys = [
                "a/b", "a/b/c", "a", "a/", "é", "e\u{301}", "a b", " ", "a\tb", #""quoted""#, #"\"#, "everyone/x", "group/x/y", "%2F", "😀", "日本",
            ]
            try await withFleet(isSecure: false) { fleet in
                for (index, key) in keys.enumerated() {
                    try await fleet.run("set", key, "\(index)")
                    try await fleet.run("set", key, "\(index + 100)", "--host", "web-1")
                }
                let machines = try [fleet.machine("web-1"), fleet.machine("web-2")]
                for machine in machines {
                    _ = try machine.startAgent()
                    try await eventually("all are there") { try machine.mirror()?.values.count == keys.count }
                }
                for (index, key) in keys.enumerated() {
                    #expect(try machines[0].mirror()?.values[PreferencesKey(key)]?.json == JSONValue(index + 100), "\(key)")
                    #expect(try machines[1].mirror()?.values[PreferencesKey(key)]?.json == JSONValue(index), "\(key)")
                    #expect(try await fleet.run("get", key) == "\(index)\n", "\(key)")
                }
            }
        }
    }
#endif

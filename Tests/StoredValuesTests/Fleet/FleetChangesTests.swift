#if Fleet
    import Foundation
    import StoredValues
    import StoredValuesFleet
    import StoredValuesSupport
    import Testing

    /// Programs that change a fleet's settings.
    @Suite("Fleet: changes", .hangLimit)
    struct FleetChangesTests {}

    extension FleetChangesTests {
        private struct Window: Codable, Equatable {
            var width = 800.5
            var title: String?
            var opened: Date?
        }

        private struct Failure: Error, Equatable {}

        @Test("What is set is read back to the bit, for each target apart, until it is reset; each change has one record")
        func roundTrip() async throws {
            try await withFleet { fleet in
                let client = try fleet.client()
                func check<Item: StorableItem & Equatable>(_ key: String, _ item: Item, for target: FleetTarget) async throws {
                    #expect(try await client.value(key, as: Item.self, for: target) == nil)
                    try await client.set(key, to: item, for: target)
                    #expect(try await client.value(key, for: target) == item)
                }
                try await check("int", Int.min, for: .everyone)
                try await check("int", 7, for: .group("canary"))
                try await check("int", 8, for: .host("web-1"))
                try await check("text", "\u{E9}\n\"\u{1F511}", for: .everyone)
                try await check("nothing", Int?.none, for: .everyone)
                try await check("list", [0.1, .infinity, -0.0], for: .everyone)
                try await check("a/b c", Window(title: "t", opened: Date(timeIntervalSince1970: 1.123)), for: .group("a b\u{E9}"))
                #expect(try await client.value("int", as: Int.self) == .min)
                try await client.reset("int", for: .group("canary"))
                #expect(try await client.value("int", as: Int.self, for: .group("canary")) == nil)
                #expect(try await client.value("int", as: Int.self, for: .host("web-1")) == 8)
                let records = try await fleet.records()
                #expect(records.count == 8)
                let change = try #require(records[7]["changes"]?.arrayValue)
                #expect(change == [["key": "int", "for": "group/canary", "from": 7, "fromVersion": 0]])
                #expect(records.allSatisfy { $0["by"]?.stringValue == client.writer && $0["at"]?.stringValue?.hasSuffix("Z") == true })
            }
        }

        @Test("Resetting what is not set changes nothing, and has no record")
        func reset() async throws {
            try await withFleet { fleet in
                let client = try fleet.client()
                let before = try await fleet.etcd.revision()
                try await client.reset("limit")
                try await client.batch { batch throws(FleetError) in for name in ["a", "b"] { try batch.reset(name, for: .host(name)) } }
                try await client.batch { _ in }
                #expect(try await fleet.etcd.revision() == before)
            }
        }

        @Test("Updates of several tasks and processes lose nothing, and each has one record")
        func updates() async throws {
            try await withFleet { fleet in
                let client = try fleet.client(), ca = try #require(fleet.etcd.ca)
                let results = try await withThrowingTaskGroup(of: [Int].self) { group in
                    for writer in 0..<3 {
                        let process = try fleet.processes.start(
                            "change-fleet", fleet.etcd.endpoints.joined(separator: ","), ca.file, ca.client.file, ca.client.key, "\(writer)", "30")
                        group.addTask {
                            let lines = try await process.lines()
                            #expect(lines == ["30 30"])
                            return []
                        }
                    }
                    for _ in 0..<4 {
                        group.addTask {
                            var results: [Int] = []
                            for _ in 0..<25 { results.append(try await client.update("common", default: 0) { $0 += 1 }) }
                            return results
                        }
                    }
                    return try await group.reduce([], +)
                }
                #expect(try await client.value("common", as: Int.self) == 190)
                let steps = try await fleet.records().compactMap { $0["changes"]?.arrayValue?.first }.filter { $0["key"]?.stringValue == "common" }
                #expect(steps.map { $0["to"]?.intValue } == Array(1...190))
                // What a call returns is what its own change made.
                #expect(Set(results).count == 100)
            }
        }

        @Test("An update begins with the default, returns the new item, and what its closure throws changes nothing")
        func update() async throws {
            try await withFleet { fleet in
                let client = try fleet.client()
                let limit = try await client.update("limit", default: 60, for: .group("canary")) { $0 += 1 }
                #expect(limit == 61)
                let before = try await fleet.etcd.revision()
                for key in ["limit", "other"] {
                    await #expect(throws: Failure()) {
                        try await client.update(key, default: 60, for: .group("canary")) { limit in
                            limit = 0
                            throw Failure()
                        }
                    }
                }
                let error = await #expect(throws: FleetError.self) {
                    try await client.update("limit", default: "x", for: .group("canary")) { $0 += "x" }
                }
                #expect(error?.reason == .notDecodable && error?.outcome == .didNotHappen)
                #expect(try await fleet.etcd.revision() == before)
            }
        }

        private enum First: String, VersionedItem {
            static let version = 1
            static func migrate(_ json: inout JSONValue, from version: Int) throws { json = .string(json.stringValue == "on" ? "full" : "none") }
            case full, none
        }

        private enum Second: String, VersionedItem {
            static let version = 2
            static func migrate(_ json: inout JSONValue, from version: Int) throws {
                if version == 0 { try First.migrate(&json, from: 0) } else { json = .string("\(json.stringValue ?? "")-2") }
            }
            case full = "full-2", none = "none-2"
        }

        @Test("Items of an older version are migrated, those of a newer one are neither read nor updated, and may be replaced")
        func versions() async throws {
            try await withFleet { fleet in
                let client = try fleet.client()
                try await client.set("level", to: "on")
                #expect(try await client.value("level", as: Second.self) == .full)
                let first = try await client.update("level", default: First.none) { _ in }
                #expect(first == .full)
                let level = try await client.update("level", default: Second.none) { _ in }
                #expect(level == .full)
                let stored = try #require(try await fleet.etcd.value("\(TestFleet.settings)everyone/level"))
                let record = try #require(JSONValue(text: stored))
                #expect(record["version"]?.intValue == 2 && record["value"]?.stringValue == "full-2")
                let before = try await fleet.etcd.revision()
                for attempt in 0..<2 {
                    let error = await #expect(throws: FleetError.self) {
                        if attempt == 0 {
                            _ = try await client.value("level", as: First.self)
                        } else {
                            _ = try await client.update("level", default: First.none) { $0 = .none }
                        }
                    }
                    #expect(error?.reason == .newerVersion && error?.outcome == .didNotHappen)
                    #expect(error?.description.contains("\"level\"") == true && error?.description.contains("Update the program") == true)
                }
                #expect(try await fleet.etcd.revision() == before)
                try await client.set("level", to: First.none)
                #expect(try await client.value("level", as: First.self) == First.none)
                // A tool's value keeps the version of what it replaces.
                try await fleet.run("set", "level", "full")
                #expect(try await client.value("level", as: First.self) == .full)
            }
        }

        @Test("A batch is one revision and one record; the last change of a setting counts, and what throws sends nothing")
        func batch() async throws {
            try await withFleet { fleet in
                let client = try fleet.client()
                try await client.set("b", to: 1)
                try await client.batch { batch throws(FleetError) in
                    try batch.set("a", to: 1)
                    try batch.reset("b")
                    try batch.set("a", to: 2)
                    try batch.set("a", to: "x", for: .host("web-1"))
                }
                let entries = try await fleet.etcd.entries(TestFleet.settings)
                #expect(entries.map(\.key) == ["everyone/a", "host/web-1/a", "revision"].map { TestFleet.settings + $0 })
                #expect(Set(entries.map(\.modRevision)).count == 1)
                #expect(
                    try await fleet.records().last?["changes"] == [
                        ["key": "b", "for": "everyone", "from": 1, "fromVersion": 0], ["key": "a", "for": "everyone", "to": 2],
                        ["key": "a", "for": "host/web-1", "to": "x"],
                    ])
                let before = try await fleet.etcd.revision()
                for wrong in ["", "$versions", "a\0"] {
                    let error = await #expect(throws: FleetError.self) {
                        try await client.batch { batch throws(FleetError) in
                            try batch.set("a", to: 3)
                            try batch.set(wrong, to: 3)
                        }
                    }
                    #expect(error?.reason == .misconfigured)
                }
                for wrong in ["", "a/b", "a\0"] {
                    await #expect(throws: FleetError.self) { try await client.set("a", to: 3, for: .group(wrong)) }
                    await #expect(throws: FleetError.self) { try await client.value("a", as: Int.self, for: .host(wrong)) }
                }
                #expect(try await fleet.etcd.revision() == before)
            }
        }

        @Test("What cannot be encoded, or would be nested too deeply to be read again, is refused before anything is sent")
        func unencodable() async throws {
            struct Refusing: Codable {
                func encode(to encoder: any Encoder) throws { throw Failure() }
            }
            indirect enum Nest: Codable, Sendable { case empty, nest(Nest) }
            try await withFleet { fleet in
                let client = try fleet.client()
                let before = try await fleet.etcd.revision()
                let nest = (0..<2000).reduce(Nest.empty) { inner, _ in .nest(inner) }
                let deep = await #expect(throws: FleetError.self) { try await client.set("a", to: nest) }
                let refusing = await #expect(throws: FleetError.self) { try await client.set("a", to: Refusing()) }
                for error in [deep, refusing] { #expect(error?.reason == .notEncodable && error?.outcome == .didNotHappen) }
                #expect(try await fleet.etcd.revision() == before)
            }
        }

        @Test("The log has a large value's size in place of the value, so that a change fits into one request with its record")
        func large() async throws {
            try await withFleet { fleet in
                let client = try fleet.client()
                for letter in ["x", "y"] { try await client.set("big", to: String(repeating: letter, count: 600_000)) }
                #expect(try await client.value("big", as: String.self)?.count == 600_000)
                #expect(
                    try await fleet.records().last?["changes"] == [
                        ["key": "big", "for": "everyone", "from": ["bytes": 600_002], "fromVersion": 0, "to": ["bytes": 600_002]]
                    ])
            }
        }
    }
#endif

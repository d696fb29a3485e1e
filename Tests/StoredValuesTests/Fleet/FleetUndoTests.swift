#if Fleet
    import Foundation
    import StoredValues
    import Testing

    @testable import StoredValuesFleet

    @Suite("Fleet: taking back", .hangLimit)
    struct FleetUndoTests {}

    extension FleetUndoTests {
        /// An item with a version.
        private struct Window: VersionedItem, Codable, Equatable {
            static let version = 3
            var width = 1

            static func migrate(_ json: inout JSONValue, from version: Int) {}
        }

        /// The rows of the log: the columns after who made the change.
        private func log(_ fleet: TestFleet) async throws -> [[String]] {
            try await fleet.run("log").split(separator: "\n").map { $0.split(separator: "\t").dropFirst(2).map(String.init) }
        }

        @Test("What a record changed is set back, all of it, with the version of its type, as a change of its own that can be undone")
        func undone() async throws {
            try await withFleet { fleet in
                let client = try fleet.client()
                try await client.set("window", to: Window())
                try await client.set("limit", to: 1, for: .group("canary"))
                try await client.batch { batch throws(FleetError) in
                    try batch.set("window", to: 5)
                    try batch.reset("limit", for: .group("canary"))
                    try batch.set("new", to: "x", for: .host("web-1"))
                }
                let record = try #require(try await log(fleet).first?.last)
                #expect(try await fleet.run("undo", record) == "window\teveryone\t5\t{\"width\": 1}\nlimit\tgroup/canary\t(nothing)\t1\nnew\thost/web-1\t\"x\"\t(nothing)\n")
                #expect(try await client.value("window", as: Window.self) == Window())
                #expect(try await client.value("limit", as: Int.self, for: .group("canary")) == 1)
                #expect(try await client.value("new", as: String.self, for: .host("web-1")) == nil)
                let rows = try await log(fleet)
                #expect(rows.count == 8 && rows[0].last?.hasSuffix(" (undoes \(record))") == true, "\(rows)")
                // By the records alone, where the history is gone; what was undone is undone.
                try await fleet.etcd.compact()
                try await fleet.run("undo", try #require(rows[0].last?.split(separator: " ").first.map(String.init)))
                try await fleet.run("undo", try #require(try await log(fleet).first?.last?.split(separator: " ").first.map(String.init)))
                #expect(try await client.value("window", as: Window.self) == Window())
                #expect(try await client.value("limit", as: Int.self, for: .group("canary")) == 1)
            }
        }

        @Test("What anybody has changed since, a secret, and a value that nobody knows any more are not set back, and nothing is changed")
        func refused() async throws {
            try await withFleet { fleet in
                func record() async throws -> String { try #require(try await log(fleet).first?.last) }
                try await fleet.run("set", "limit", "1")
                let first = try await record()
                try await fleet.run("set", "big", String(repeating: "x", count: 5000))
                try await fleet.run("set", "big", "small")
                let big = try await record()
                try await fleet.run("reset", "limit")
                let reset = try await record()
                try await fleet.run("set", "limit", "2")
                try await fleet.run("reset", "limit")
                try await fleet.run("set", "other", "1")
                let changed = try await record()
                try await fleet.etcd.put("\(TestFleet.settings)everyone/other", #"{"value": 2}"#)
                // As an older tool writes it, which does not say of which version the value was.
                try await fleet.etcd.put(
                    "\(TestFleet.log)00\(Int(Date.now.timeIntervalSince1970 * 1000))-old",
                    #"{"at": "t", "by": "ann", "changes": [{"key": "older", "for": "everyone", "from": 1, "to": 2}]}"#)
                let older = try await "\(fleet.etcd.revision())"
                try await fleet.etcd.compact()
                let before = try await fleet.etcd.revision()
                for (record, words) in [(first, "since, at"), (reset, "since, at"), (changed, "without a record"), (big, "more than 4 KiB"), (older, "an older tool"), ("9999", "has no record")] {
                    let run = try await fleet.tool().run("undo", record)
                    #expect(run.status == 77 && run.output == "" && run.errors.contains(words), "\(run)")
                }
                try await fleet.setSecret("token", to: "x", key: fleet.newKey())
                let json = try #require(try await JSONValue(text: fleet.run("log", "--json", "--limit", "1"))?.arrayValue?.first)
                let run = try await fleet.tool().run("undo", "\(json["revision"]?.intValue ?? 0)")
                #expect(run.status == 77 && run.errors.contains("is not of settings alone"), "\(run)")
                #expect(try await fleet.run("list") == "big\teveryone\t\"small\"\nother\teveryone\t2\n")
                #expect(try await fleet.etcd.revision() <= before + 1)
            }
        }

        @Test("A record of days ago is found, and so is a later change by a clock that is behind")
        func old() async throws {
            try await withFleet { fleet in
                let client = try fleet.client(), keys = client.keys, now = Date.now
                func change(_ key: String, from: Int, to: Int, ago: Double) async throws -> String {
                    let place = FleetKeys.Place(target: .everyone, key: PreferencesKey(key)), time = FleetRecord.stamp(now - ago)
                    let change = FleetLogRecord.Change(key: key, target: "everyone", from: JSONValue(from), to: JSONValue(to), fromVersion: 0)
                    let steps = [
                        EtcdStep.put(keys.key(of: place), FleetRecord(value: JSONValue(to), version: 0, writer: "ann", time: time).data),
                        EtcdStep.put(keys.newLogKey(at: now - ago), FleetLogRecord(time: time, writer: "ann", changes: [change]).data),
                    ]
                    return try await "\(client.gateway.ask(.transaction(steps, about: keys.mark, isChange: true)).revision)"
                }
                _ = try await change("limit", from: 0, to: 1, ago: 300_000)
                let limit = try await change("limit", from: 1, to: 2, ago: 200_000)
                try await fleet.run("set", "other", "1")
                #expect(try await fleet.run("undo", limit) == "limit\teveryone\t2\t1\n")
                let theme = try await change("theme", from: 0, to: 1, ago: 81_000)
                // Further back than was looked for the record itself.
                _ = try await change("theme", from: 1, to: 2, ago: 82_500)
                let run = try await fleet.tool().run("undo", theme)
                #expect(run.status == 77 && run.errors.contains("since, at") && run.errors.contains("ann has changed"), "\(run)")
            }
        }

        @Test("A record that tells of no change is undone without one")
        func nothing() async throws {
            try await withFleet(isSecure: false) { fleet in
                try await fleet.etcd.put("\(TestFleet.log)00\(Int(Date.now.timeIntervalSince1970 * 1000))-old", #"{"at": "t", "by": "ann", "changes": []}"#)
                let before = try await fleet.etcd.revision()
                #expect(try await fleet.run("undo", "\(before)") == "")
                #expect(try await fleet.etcd.revision() == before)
            }
        }

        @Test("Keys that differ in their Unicode form alone are shown apart, also of then")
        func forms() async throws {
            try await withFleet(isSecure: false) { fleet in
                let client = try fleet.client(), keys = ["e\u{301}", "é"]
                func set(_ value: Int) async throws {
                    try await client.batch { batch throws(FleetError) in for key in keys { try batch.set(key, to: value) } }
                }
                try await fleet.run("set", "other", "0")  // the log goes back to before then
                try await fleet.run("reset", "other")
                try await set(1)
                let then = try #require(try await fleet.run("log", "--limit", "1").split(separator: "\t").first.map(String.init))
                try await eventually("another millisecond") { Date.now > (try Date(then, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)) + 0.002) }
                try await set(2)
                let list = try await fleet.run("list", "--at", then)
                #expect(list.utf8.elementsEqual("e\u{301}\teveryone\t1\né\teveryone\t1\n".utf8), "\(list)")
                for key in keys { #expect(try await fleet.run("log", key, "--limit", "1").split(separator: "\n").count == 1) }
            }
        }

        @Test("A value that looks like the size of one that was too large for the log is known from it; in a record of an older tool nobody can tell")
        func sizes() async throws {
            try await withFleet(isSecure: false) { fleet in
                try await fleet.run("set", "other", "0")  // the log goes back to before then
                try await fleet.run("set", "size", #"{"bytes": 10000}"#)
                let then = try #require(try await fleet.run("log", "--limit", "1").split(separator: "\t").first.map(String.init))
                let time = try Date(then, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
                try await eventually("another millisecond") { Date.now > time + 0.002 }
                try await fleet.run("set", "size", "1")
                #expect(try await JSONValue(text: fleet.run("get", "size", "--at", then)) == ["bytes": 10000])
                let list = try await fleet.tool().run("list", "--at", then)
                #expect(list.output == "other\teveryone\t0\nsize\teveryone\t{\"bytes\": 10000}\n" && list.errors.isEmpty, "\(list)")
                let record = try #require(try await log(fleet).first?.last)
                try await fleet.etcd.compact()
                #expect(try await fleet.run("undo", record) == "size\teveryone\t1\t{\"bytes\": 10000}\n")
                #expect(
                    try await fleet.records().dropLast().last?["changes"] == [
                        ["key": "size", "for": "everyone", "from": ["bytes": 10000], "fromVersion": 0, "fromIsWhole": true, "to": 1]
                    ])
            }
            let older = #"{"at": "t", "by": "ann", "changes": [{"key": "a", "for": "everyone", "from": {"bytes": 10000}, "to": 2}]}"#
            let change = try #require(FleetLogRecord(Data(older.utf8), revision: 1).changes.first)
            #expect(change.isFromCut && change.from == ["bytes": 10000])
        }

        @Test("With --at settings are shown as they were, by the log; a time that is before it is refused")
        func past() async throws {
            try await withFleet { fleet in
                let long = String(repeating: "x", count: 5000)
                try await fleet.run("set", "limit", "1")
                try await fleet.run("set", "limit", "5", "--host", "web-1")
                let then = try #require(try await fleet.run("log", "--limit", "1").split(separator: "\t").first.map(String.init))
                func waitAfter(_ time: String) async throws {
                    try await eventually("another millisecond") { Date.now > (try Date(time, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)) + 0.002) }
                }
                try await waitAfter(then)
                try await fleet.run("set", "limit", "2")
                try await fleet.run("reset", "limit", "--host", "web-1")
                try await fleet.run("set", "new", long)
                #expect(try await fleet.run("list", "--at", then) == "limit\teveryone\t1\nlimit\thost web-1\t5\n")
                #expect(try await fleet.run("get", "limit", "--at", then) == "1\n")
                #expect(try await fleet.tool().run("get", "new", "--at", then).status == 1)
                let now = try #require(try await fleet.run("log", "--limit", "1").split(separator: "\t").first.map(String.init))
                #expect(try await fleet.run("list", "--at", now) == fleet.run("list"))
                // Of what was too large for the log nothing is shown as its value.
                try await waitAfter(now)
                try await fleet.run("set", "new", "short")
                let cut = try await fleet.tool().run("get", "new", "--at", now)
                #expect(cut.status == 77 && cut.output == "" && cut.errors.contains("more than 4 KiB"), "\(cut)")
                let list = try await fleet.tool().run("list", "--at", now)
                #expect(list.status == 0 && list.errors.contains("Of \"new\" for everyone only the size is known"), "\(list)")
                let early = try await fleet.tool().run("list", "--at", "2020-01-31T12:00:00Z")
                #expect(early.status == 77 && early.errors.contains("does not go back"), "\(early)")
                #expect(try await fleet.tool().run("list", "--at", "yesterday").status == 64)
            }
        }
    }
#endif

#if Fleet
    import Foundation
    import StoredValues
    import StoredValuesFleet
    import Testing

    @Suite("A fleet's limits", .hangLimit)
    struct FleetLimitsTests {}

    extension FleetLimitsTests {
        @Test("126 settings change in one transaction, and with 127 nothing is sent")
        func operations() async throws {
            try await withFleet { fleet in
                let client = try fleet.client()
                try await client.batch { batch throws(FleetError) in for index in 0..<126 { try batch.set("key-\(index)", to: index) } }
                let entries = try await fleet.etcd.entries(TestFleet.settings)
                #expect(entries.count == 127 && Set(entries.map(\.modRevision)).count == 1)
                let before = try await fleet.etcd.revision()
                let error = await #expect(throws: FleetError.self) {
                    try await client.batch { batch throws(FleetError) in for index in 0..<127 { try batch.set("key-\(index)", to: -1) } }
                }
                #expect(error?.reason == .tooManyChanges(limit: 126) && error?.outcome == .didNotHappen)
                #expect(try await fleet.etcd.revision() == before)
                try await client.batch { batch throws(FleetError) in for index in 0..<126 { try batch.reset("key-\(index)") } }
                #expect(try await fleet.etcd.entries(TestFleet.settings).map(\.key) == [TestFleet.mark])
            }
        }

        @Test("What is larger than etcd takes is refused and changes nothing; almost as much is stored, and reaches a machine")
        func size() async throws {
            try await withFleet { fleet in
                let client = try fleet.client()
                try await client.set("big", to: String(repeating: "x", count: 1_400_000))
                let machine = try fleet.machine("web-1")
                _ = try machine.startAgent()
                try await eventually("it is there") { try machine.values()["big"]?.utf8.count == 1_400_002 }
                let before = try await fleet.etcd.revision()
                for bytes in [1_700_000, 3_000_000, 20_000_000] {
                    // On a busy machine an attempt may end without an answer, so that the outcome is not known; then again.
                    var error: FleetError?
                    repeat {
                        error = await #expect(throws: FleetError.self) { try await client.set("big", to: String(repeating: "y", count: bytes)) }
                    } while error?.outcome == .mayHaveHappened
                    #expect(error?.reason == .tooLarge && error?.outcome == .didNotHappen, "\(bytes): \(String(describing: error))")
                    #expect(try await fleet.etcd.revision() == before, "\(bytes)")
                }
                try await machine.waitUntilCurrent()
            }
        }

        @Test("A cluster without space refuses changes and says what to do; it is read all the same, and goes on when there is space")
        func space() async throws {
            try await withFleet(quota: 16 << 20) { fleet in
                try await fleet.run("set", "limit", "1")
                let machine = try fleet.machine("web-1")
                _ = try machine.startAgent("--report")
                try await machine.wait(for: ["limit": "1"])
                try await fleet.etcd.fill()
                // As above, an attempt may end without an answer, and then the error says that the outcome is not known. Here nothing
                // can be made; where each attempt is answered, it must not say so.
                var last: FinishedProgram?
                try await eventually("the error does not say that it may have been made") {
                    let run = try await fleet.tool().run("set", "limit", "2")
                    last = run
                    return !run.errors.contains("may have been made")
                }
                let run = try #require(last)
                #expect(run.status == 74 && run.errors.contains("alarm disarm"), "\(run)")
                #expect(try await fleet.run("get", "limit") == "1\n")
                try await machine.waitUntilCurrent()
                try await eventually("the agent says why it does not report") { machine.words.contains("has no space left") }
                try await fleet.etcd.delete("/filler", andAllBeneath: true)
                try await fleet.etcd.compact()
                try await fleet.etcd.run("defrag")
                try await fleet.etcd.run("alarm", "disarm")
                try await fleet.run("set", "limit", "3")
                try await machine.wait(for: ["limit": "3"])
            }
        }

        @Test("As many settings as nobody has reach a machine, and each change of one of them")
        func many() async throws {
            try await withFleet { fleet in
                let client = try fleet.client()
                for part in 0..<40 {
                    try await client.batch { batch throws(FleetError) in for index in 0..<125 { try batch.set("key-\(part)-\(index)", to: index) } }
                }
                let machine = try fleet.machine("web-1")
                _ = try machine.startAgent()
                try await eventually("all are there") { try machine.mirror()?.values.count == 5000 }
                try await fleet.run("set", "key-39-0", "--", "-1")
                try await eventually("the change is there") { try machine.values()["key-39-0"] == "-1" }
            }
        }
    }
#endif

#if Fleet
    import Foundation
    import StoredValues
    import Testing

    @testable import StoredValuesFleet

    /// What an administrator does to the cluster's history while agents follow it.
    @Suite("A fleet's history", .hangLimit)
    struct FleetHistoryTests {}

    extension FleetHistoryTests {
        @Test("What was compacted while an agent was disconnected is read again, whole; also where half of the named members are away", arguments: [false, true])
        func compacted(isHalfAway: Bool) async throws {
            try await withFleet(isSecure: !isHalfAway) { fleet in
                let machine = try await machine(fleet), away = try LoopbackPort()
                let addresses = fleet.etcd.endpoints + (isHalfAway ? ["http://127.0.0.1:\(away.number)"] : [])
                let agent = try machine.startAgent("--endpoints", addresses.joined(separator: ","))
                try await machine.wait(for: ["a": "1", "b": "1"])
                // Before the watch was good for something, nobody asks whether it can go on.
                try await machine.waitUntilCurrent()
                try await agent.stop()  // its connection stays open, and it hears nothing
                try await fleet.run("set", "a", "2")
                try await fleet.run("reset", "b")
                try await fleet.run("set", "c", "2")
                try await fleet.etcd.compact()
                // The stream is cut off, so that all is read again.
                try await fleet.etcd.members[0].kill()
                try await fleet.etcd.start()
                agent.signal(SIGCONT)
                try await machine.wait(for: ["a": "2", "c": "2"])
                try await machine.waitUntilCurrent()
                withExtendedLifetime(away) {}
            }
        }

        @Test("An agent whose watch has ended goes on from the revision that it has, and has what was changed meanwhile, without reading everything")
        func continued() async throws {
            try await withFleet(isSecure: false) { fleet in
                let size = 1_200_000
                try await fleet.client().set("big", to: String(repeating: "x", count: size))
                let machine = try await machine(fleet), member = fleet.etcd.members[0]
                let agent = try machine.startAgent()
                func wait(_ a: String) async throws {
                    try await eventually("it has \(a)") { try machine.values()["a"] == a }
                    try await machine.waitUntilCurrent()
                }
                try await wait("1")
                // Since it was started, etcd has sent it everything once; then only what was changed.
                #expect(try await sentBytes(by: member) > size)
                var value = 1
                for _ in 0..<2 {
                    // Where a busy etcd does not answer the agent's first question after that in time, which may be 1 s, the new watch
                    // ends at once, and everything is read again. Then there is another round.
                    try await eventually("it goes on without reading everything") {
                        value += 1
                        try await agent.stop()
                        try await member.kill()
                        try await fleet.etcd.start()
                        try await fleet.run("set", "a", "\(value)")
                        agent.signal(SIGCONT)
                        try await wait("\(value)")
                        return try await sentBytes(by: member) < size
                    }
                }
                #expect(try machine.values()["big"]?.utf8.count == size + 2)
            }
        }

        /// How many bytes etcd has sent to its clients since it was started.
        private func sentBytes(by member: Etcd) async throws -> Int { try await member.metric("etcd_network_client_grpc_sent_bytes_total") }

        @Test("A watch from a revision that was compacted is told so by etcd, and all is to be read again")
        func compactedWatch() async throws {
            try await withFleet { fleet in
                for value in 1...3 { try await fleet.run("set", "a", "\(value)") }
                try await fleet.etcd.compact()
                let client = try fleet.client()
                let now = try await client.gateway.ask(client.keys.everything())
                var verdict = WatchVerdict.nothing
                try await eventually("etcd answers in time") {
                    do {
                        try await client.gateway.watch(client.keys.settings, to: client.keys.settings.endOfPrefix, from: 2) { answer in
                            verdict = WatchVerdict(answer, after: 1, in: now.cluster)
                            if verdict != .nothing { throw Told() }
                        }
                    } catch let error as EtcdError where error.isTransient { return false } catch is Told {}
                    return true
                }
                guard case .readAgain(let why) = verdict else { return #expect(Bool(false), "\(verdict)") }
                #expect(why.contains("compacted"))
            }
        }

        /// Ends a watch that has said what the test waits for.
        private struct Told: Error {}

        @Test(
            "A snapshot that is restored, also in another cluster at the same addresses, takes machines back to it; they follow what comes after",
            arguments: [nil, "another"])
        func restored(token: String?) async throws {
            try await withFleet { fleet in
                let machine = try await machine(fleet)
                try await fleet.etcd.saveSnapshot(to: "\(fleet.folder)/snapshot")
                for value in 2...9 { try await fleet.run("set", "a", "\(value)") }
                try await fleet.run("set", "c", "1")
                _ = try machine.startAgent()
                try await machine.wait(for: ["a": "9", "b": "1", "c": "1"])
                let before = try #require(try machine.mirror()).origin
                try await fleet.etcd.restoreSnapshot(from: "\(fleet.folder)/snapshot", token: token)
                try await machine.wait(for: ["a": "1", "b": "1"])
                let after = try #require(try machine.mirror()).origin
                #expect(after.revision < before.revision && (after.cluster == before.cluster) == (token == nil))
                try await fleet.run("set", "a", "5")
                try await machine.wait(for: ["a": "5", "b": "1"])
                try await machine.waitUntilCurrent()
            }
        }

        @Test("A snapshot that is restored while an agent is away, and then changed as often as before, is not taken for the old history")
        func restoredUnnoticed() async throws {
            try await withFleet { fleet in
                let machine = try await machine(fleet)
                try await fleet.etcd.saveSnapshot(to: "\(fleet.folder)/snapshot")
                try await fleet.run("set", "a", "2")
                try await fleet.run("set", "d", "2")
                let agent = try machine.startAgent()
                try await machine.wait(for: ["a": "2", "b": "1", "d": "2"])
                let before = try await fleet.etcd.revision()
                try await agent.stop()
                try await fleet.etcd.restoreSnapshot(from: "\(fleet.folder)/snapshot")
                while try await fleet.etcd.revision() < before { try await fleet.run("set", "a", "3") }
                agent.signal(SIGCONT)
                try await machine.wait(for: ["a": "3", "b": "1"])
                try await machine.waitUntilCurrent()
            }
        }

        @Test("Nor is it where both what was lost and what came instead is etcdctl's, of which no key tells", arguments: [false, true])
        func restoredUnmarked(isRemoval: Bool) async throws {
            try await withFleet { fleet in
                let machine = try await machine(fleet), a = "\(TestFleet.settings)everyone/a"
                try await fleet.etcd.saveSnapshot(to: "\(fleet.folder)/snapshot")
                let agent = try machine.startAgent()
                try await machine.wait(for: ["a": "1", "b": "1"])
                if isRemoval { try await fleet.etcd.delete("\(TestFleet.settings)everyone/b") } else { try await fleet.etcd.put(a, #"{"value": 2}"#) }
                try await machine.wait(for: isRemoval ? ["a": "1"] : ["a": "2", "b": "1"])
                try await machine.waitUntilCurrent()
                let before = try await fleet.etcd.revision()
                try await agent.stop()
                try await fleet.etcd.restoreSnapshot(from: "\(fleet.folder)/snapshot")
                try await fleet.etcd.put(a, #"{"value": 3}"#)
                #expect(try await fleet.etcd.revision() == before)
                agent.signal(SIGCONT)
                try await machine.wait(for: ["a": "3", "b": "1"])
                try await machine.waitUntilCurrent()
            }
        }

        @Test("A cluster that has lost its data does not empty the machines: they keep the last settings, and say so until there are new ones")
        func wiped() async throws {
            try await withFleet { fleet in
                let machine = try await machine(fleet)
                let agent = try machine.startAgent()
                let status = try machine.watchStatus()
                try await status.line(beginningWith: "current")
                try await fleet.etcd.wipe()
                try await status.staleLine(containing: "has lost its data")
                #expect(try machine.values() == ["a": "1", "b": "1"])
                // An agent that is started only now knows it from the mirror.
                try await agent.kill()
                let said = machine.words.count
                _ = try machine.startAgent()
                try await eventually("it has seen the empty cluster") { machine.words.dropFirst(said).contains("has lost its data") }
                #expect(try machine.values() == ["a": "1", "b": "1"])
                try await fleet.run("set", "a", "9")
                try await machine.wait(for: ["a": "9"])
                try await status.line(beginningWith: "current")
            }
        }

        @Test("What an operator removes is removed on the machines, to the last setting")
        func removed() async throws {
            try await withFleet { fleet in
                let machine = try await machine(fleet)
                _ = try machine.startAgent()
                try await machine.wait(for: ["a": "1", "b": "1"])
                try await fleet.etcd.delete(TestFleet.settings, andAllBeneath: true)
                try await machine.wait(for: [:])
                try await machine.waitUntilCurrent()
                try await fleet.run("set", "a", "2")
                try await machine.wait(for: ["a": "2"])
            }
        }

        @Test("What an operator removes while no agent runs is removed when one starts")
        func removedMeanwhile() async throws {
            try await withFleet { fleet in
                let machine = try await machine(fleet)
                let agent = try machine.startAgent()
                try await machine.wait(for: ["a": "1", "b": "1"])
                try await agent.kill()
                try await fleet.etcd.delete(TestFleet.settings, andAllBeneath: true)
                _ = try machine.startAgent()
                try await machine.wait(for: [:])
            }
        }

        private func machine(_ fleet: TestFleet) async throws -> FleetMachine {
            try await fleet.run("set", "a", "1")
            try await fleet.run("set", "b", "1")
            return try fleet.machine("web-1")
        }
    }
#endif

#if Fleet
    import Foundation
    import StoredValues
    import StoredValuesFleet
    import Testing

    /// Old secrets that come back, and secrets that go.
    @Suite("Fleet: old and missing secrets", .hangLimit)
    struct FleetSecretsHistoryTests {}

    extension FleetSecretsHistoryTests {
        @Test("Older secrets, and others of the same age, are refused on machines that have seen later ones, which say so and keep theirs, also when their agent starts again")
        func older() async throws {
            try await withFleet { fleet in
                let (key, machine, agent) = try await begin(fleet)
                let old = try await fleet.etcd.bytes(TestFleet.secrets)
                try await fleet.setSecret("token", to: "two", key: key)
                try await machine.waitForSecrets(fleet.etcd)
                let new = try machine.secrets()
                try await fleet.etcd.put(TestFleet.secrets, try #require(old))
                try await machine.waitUntilStale("secret confirm")
                #expect(try machine.secrets() == new)
                // Another second one.
                try await fleet.setSecret("token", to: "other", key: key)
                try await machine.waitUntilStale("(generation 2, seen 2)")
                try await agent.kill()
                _ = try machine.startAgent()
                try await fleet.run("set", "limit", "2")
                try await machine.wait(for: ["limit": "2"])
                try await machine.waitUntilStale("(generation 2, seen 2)")
                #expect(try machine.secrets() == new)
                #expect(try await machine.startReader(key).ask("token") == "two")
                // What is stored after that is later again, and holds what was older all the same.
                try await fleet.setSecret("token", to: "three", key: key)
                try await machine.waitUntilStale("(generation 3, seen 2)")
                #expect(try machine.secrets() == new)
                // Those that were there before end it, as a confirmation would.
                try await fleet.etcd.put(TestFleet.secrets, try #require(new))
                try await machine.waitUntilCurrent()
                try await fleet.setSecret("token", to: "four", key: key)
                try await machine.waitForSecrets(fleet.etcd)
                try await machine.waitUntilCurrent()
            }
        }

        @Test("After a backup was restored and an operator has said that it counts, machines take it over, also one whose agent was off; and nothing older than that")
        func confirmed() async throws {
            try await withFleet { fleet in
                let (key, machine, _) = try await begin(fleet)
                let away = try fleet.machine("web-2"), agent = try away.startAgent()
                let old = try await fleet.etcd.bytes(TestFleet.secrets)
                try await fleet.setSecret("token", to: "two", key: key)
                try await fleet.etcd.saveSnapshot(to: "\(fleet.folder)/snapshot")
                for number in 3...5 { try await fleet.setSecret("token", to: "\(number)", key: key) }
                for machine in [machine, away] { try await machine.waitForSecrets(fleet.etcd) }
                try await agent.kill()
                try await fleet.etcd.restoreSnapshot(from: "\(fleet.folder)/snapshot")
                try await machine.waitUntilStale("(generation 2, seen 5)")
                let reader = try machine.startReader(key)
                #expect(try await reader.ask("token") == "5")
                try await fleet.run("secret", "confirm", "--yes", "--secrets-key", key)
                try await machine.waitForSecrets(fleet.etcd)
                try await machine.waitUntilCurrent()
                #expect(try await reader.ask("token") == "two")
                _ = try away.startAgent()
                try await away.waitForSecrets(fleet.etcd)
                try await away.waitUntilCurrent()
                let restored = try machine.secrets()
                try await fleet.etcd.put(TestFleet.secrets, try #require(old))
                for machine in [machine, away] {
                    try await machine.waitUntilStale("(generation 1, seen 2)")
                    #expect(try machine.secrets() == restored)
                }
                // Nobody has signed that one in this epoch, so nothing is stored on it either.
                let refused = try await fleet.tool().run(["secret", "set", "token", "--secrets-key", key], input: "six")
                #expect(refused.status == 77 && refused.errors.contains("secret confirm"), "\(refused)")
                try await fleet.run("secret", "confirm", "--yes", "--secrets-key", key)
                try await fleet.setSecret("token", to: "seven", key: key)
                for machine in [machine, away] {
                    try await machine.waitForSecrets(fleet.etcd)
                    try await machine.waitUntilCurrent()
                }
                // The confirmation is forgotten with a backup from before it, and so must be said again.
                try await fleet.etcd.delete("\(TestFleet.secrets)-epoch")
                try await fleet.setSecret("token", to: "eight", key: key)
                try await machine.waitUntilStale("secret confirm")
                #expect(try await reader.ask("token") == "seven")
                try await fleet.run("secret", "confirm", "--yes", "--secrets-key", key)
                try await machine.waitForSecrets(fleet.etcd)
            }
        }

        @Test("Machines keep their secrets when the cluster's are deleted, and say so, until new ones are stored and confirmed")
        func deleted() async throws {
            try await withFleet { fleet in
                let (key, machine, _) = try await begin(fleet)
                let before = try machine.secrets(), reader = try machine.startReader(key)
                try await fleet.etcd.delete(TestFleet.secrets)
                try await machine.waitUntilStale("has no secrets any more")
                #expect(try machine.secrets() == before)
                #expect(try await reader.ask("token") == "one")
                try await fleet.setSecret("token", to: "two", key: key)
                try await machine.waitUntilStale("secret confirm")
                #expect(try await reader.ask("token") == "one")
                try await fleet.run("secret", "confirm", "--yes", "--secrets-key", key)
                try await machine.waitForSecrets(fleet.etcd)
                try await machine.waitUntilCurrent()
                #expect(try await reader.ask("token") == "two")
            }
        }

        @Test("A machine that no agent has brought anything has no answer; after an agent has read there being none, a secret is absent")
        func never() async throws {
            try await withFleet { fleet in
                let key = try fleet.newKey(), machine = try fleet.machine("web-1")
                let reader = try machine.startReader(key)
                for _ in 0..<2 { #expect(try await reader.ask("token").contains("no agent has brought the fleet's secrets to this machine")) }
                // An agent that cannot reach the cluster changes nothing about that.
                let agent = try machine.startAgent("--endpoints", "https://127.0.0.1:1")
                try await eventually("it has tried") { machine.words.contains("trying again") }
                #expect(try await reader.ask("token").contains("no agent has brought"))
                try await agent.kill()
                _ = try machine.startAgent()
                try await machine.waitUntilCurrent()
                #expect(try await reader.ask("token") == "absent")
            }
        }

        // Several times: its moment is a short one.
        @Test("On a new machine a secret is never taken for absent: while its agent begins, a read throws or finds it", arguments: 1...3)
        func beginning(round: Int) async throws {
            try await withFleet { fleet in
                let key = try fleet.newKey(), machine = try fleet.machine("web-1")
                try await fleet.run("set", "limit", "1")
                try await fleet.setSecret("token", to: "one", key: key)
                let reader = try machine.start("read-fleet-secret", key, "-", "token")
                #expect(try await reader.line()?.hasPrefix("error: ") == true)
                _ = try machine.startAgent()
                #expect(try await reader.line() == "one")
                try reader.send("end")
                #expect(try await reader.lines().count == 1)
            }
        }

        @Test(
            "A file that is deleted or damaged on a machine is missed, not taken for none, and brought back when its agent starts",
            arguments: [
                nil, "", "damaged",
            ])
        func missing(content: String?) async throws {
            try await withFleet { fleet in
                let (key, machine, agent) = try await begin(fleet)
                let path = machine.folder.secrets(of: TestFleet.application), sound = try machine.secrets()
                try await agent.kill()
                if let content { try writeFinished(Array(content.utf8), to: path) } else { try FileManager.default.removeItem(atPath: path) }
                let reader = try machine.startReader(key)
                #expect(try await reader.ask("token").contains(content == nil ? "is missing; start the agent again" : "damaged"))
                _ = try machine.startAgent()
                try await machine.waitForSecrets(fleet.etcd)
                #expect(try machine.secrets() == sound)
                #expect(try await reader.ask("token") == "one")
            }
        }

        @Test("What the cluster has in place of secrets is never brought to a machine, which says so; there a secret is not absent")
        func wrong() async throws {
            try await withFleet { fleet in
                let (key, machine, _) = try await begin(fleet)
                let sound = try #require(try await fleet.etcd.bytes(TestFleet.secrets))
                let fresh = try fleet.machine("web-2")
                try await fleet.etcd.put(TestFleet.secrets, Array("not secrets".utf8))
                _ = try fresh.startAgent()
                for machine in [machine, fresh] { try await machine.waitUntilStale("is not an encrypted file") }
                #expect(try machine.secrets() == sound && fresh.secrets() == nil)
                #expect(try await machine.startReader(key).ask("token") == "one")
                let reader = try fresh.startReader(key)
                #expect(try await reader.ask("token").contains("is missing"))
                try await fleet.etcd.put(TestFleet.secrets, sound)
                // Nor where it is their epoch that cannot be.
                let epoch = "\(TestFleet.secrets)-epoch", other = try fleet.machine("web-3")
                try await fleet.etcd.put(epoch, #"{"epoch": 9000000000000000}"#)
                _ = try other.startAgent()
                try await other.waitUntilStale("in the future")
                #expect(try await other.startReader(key).ask("token").contains("is missing"))
                try await fleet.etcd.delete(epoch)
                for machine in [machine, fresh] { try await machine.waitUntilCurrent() }
                #expect(try await reader.ask("token") == "one")
            }
        }

        @Test("Where the secrets cannot be written the agent says so, goes on with the settings, and brings them when it can")
        func unwritable() async throws {
            try await withFleet { fleet in
                let (key, machine, agent) = try await begin(fleet)
                try await agent.kill()
                let path = machine.folder.secrets(of: TestFleet.application)
                try FileManager.default.removeItem(atPath: path)
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
                try await fleet.run("set", "limit", "2")
                try await fleet.setSecret("token", to: "two", key: key)
                _ = try machine.startAgent()
                try await eventually("it says so") { machine.words.contains(path) }
                try await machine.wait(for: ["limit": "2"])
                let reader = try machine.startReader(key)
                #expect(try await reader.ask("token").hasPrefix("error: "))
                try FileManager.default.removeItem(atPath: path)
                try await machine.waitForSecrets(fleet.etcd)
                try await machine.waitUntilCurrent()
                #expect(try await reader.ask("token") == "two")
            }
        }

        /// A fleet with a setting and a secret, and a machine that has both.
        private func begin(_ fleet: TestFleet) async throws -> (key: String, machine: FleetMachine, agent: TestProcess) {
            let key = try fleet.newKey(), machine = try fleet.machine("web-1")
            try await fleet.run("set", "limit", "1")
            try await fleet.setSecret("token", to: "one", key: key)
            let agent = try machine.startAgent()
            try await machine.waitForSecrets(fleet.etcd)
            try await machine.waitUntilCurrent()
            return (key, machine, agent)
        }
    }
#endif

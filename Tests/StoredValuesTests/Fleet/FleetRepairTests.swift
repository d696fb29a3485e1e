#if Fleet
    import Foundation
    import StoredValues
    import StoredValuesFleet
    import Testing

    @Suite("What agents and clients of a fleet set right by themselves", .hangLimit)
    struct FleetRepairTests {}

    extension FleetRepairTests {
        @Test("A cluster that lost its data takes no settings away, though others have stored more in it since than it had")
        func refilled() async throws {
            try await withFleet { fleet in
                try await fleet.run("set", "a", "1")
                let machine = try fleet.machine("web-1")
                let first = try machine.startAgent()
                try await machine.wait(for: ["a": "1"])
                try await first.kill()
                let known = try await fleet.etcd.revision()
                try await fleet.etcd.wipe()
                for number in 0...known { try await fleet.etcd.put("/others/\(number)", "x") }
                #expect(try await fleet.etcd.revision() > known)
                let second = try machine.startAgent()
                try await machine.waitUntilStale("may have lost its data")
                #expect(try machine.values() == ["a": "1"])
                try await fleet.run("set", "b", "2")
                try await machine.wait(for: ["b": "2"])
                try await machine.waitUntilCurrent()

                // Nor does one whose history nobody knows any more; where it is known, what was removed is removed.
                try await second.kill()
                try await fleet.run("reset", "b")
                try await fleet.etcd.put("/others/last", "x")
                try await fleet.etcd.compact()
                let third = try machine.startAgent()
                try await machine.waitUntilStale("no history of their removal")
                #expect(try machine.values() == ["b": "2"])
                try await fleet.run("set", "c", "3")
                try await machine.wait(for: ["c": "3"])
                try await third.kill()
                try await fleet.run("reset", "c")
                _ = try machine.startAgent()
                try await machine.wait(for: [:])
                try await machine.waitUntilCurrent()
            }
        }

        @Test("What is reset on purpose while an agent is away is removed, though what it last heard of was compacted: the removal was not")
        func removedLater() async throws {
            try await withFleet { fleet in
                try await fleet.run("set", "a", "1")
                let machine = try fleet.machine("web-1")
                let first = try machine.startAgent()
                try await machine.wait(for: ["a": "1"])
                try await first.kill()
                for number in 1...5 { try await fleet.etcd.put("/others/\(number)", "x") }
                try await fleet.etcd.compact()
                try await fleet.run("reset", "a")
                _ = try machine.startAgent()
                try await machine.wait(for: [:])
                try await machine.waitUntilCurrent()
            }
        }

        @Test("A mirror that something else has removed or changed is written anew, although no setting changes")
        func mirror() async throws {
            try await withFleet { fleet in
                try await fleet.run("set", "a", "1")
                let machine = try fleet.machine("web-1")
                _ = try machine.startAgent()
                try await machine.wait(for: ["a": "1"])
                try FileManager.default.removeItem(atPath: machine.path())
                try await machine.wait(for: ["a": "1"])
                var mirror = try #require(try machine.mirror())
                mirror["a"]?.json = 2
                try Data(mirror.bytes).write(to: URL(fileURLWithPath: machine.path()))
                try await machine.wait(for: ["a": "1"])
                try await machine.waitUntilCurrent()
                #expect(machine.words.contains("something other than the agent"))
            }
        }

        @Test("So is one over which an older genuine one is moved, or that is edited in place, while the cluster is away")
        func mirrorWithoutCluster() async throws {
            try await withFleet { fleet in
                try await fleet.run("set", "a", "1")
                let machine = try fleet.machine("web-1")
                _ = try machine.startAgent()
                try await machine.wait(for: ["a": "1"])
                let url = URL(fileURLWithPath: machine.path()), older = try Data(contentsOf: url)
                try await fleet.run("set", "a", "2")
                try await machine.wait(for: ["a": "2"])
                try await machine.waitUntilCurrent()
                try await fleet.etcd.killAll()
                try older.write(to: url, options: .atomic)
                try await machine.wait(for: ["a": "2"])
                try older.write(to: url)
                try await machine.wait(for: ["a": "2"])
                try await fleet.etcd.start()
                try await machine.waitUntilCurrent()
                #expect(try machine.values() == ["a": "2"])
            }
        }

        @Test("A folder that is removed is made again for programs of all users, from memory, and a second agent waits as before", arguments: [false, true])
        func folder(isClusterAway: Bool) async throws {
            try await withFleet { fleet in
                try await fleet.run("set", "a", "1")
                let machine = try fleet.machine("web-1").withStrictUmask()
                let first = try machine.startAgent()
                try await machine.waitUntilCurrent()
                if isClusterAway { try await fleet.etcd.killAll() }
                // At one stroke: what the agent writes anew would come in between.
                try FileManager.default.moveItem(atPath: machine.folder.path, toPath: "\(machine.folder.path)-gone")
                try await machine.wait(for: ["a": "1"])
                for folder in [machine.folder.path, "\(machine.folder.path)/\(TestFleet.application)"] {
                    #expect(try mode(folder) == 0o755)
                }
                let second = try machine.startAgent()
                try await eventually("the second one waits") { machine.words.contains("Another agent keeps") }
                if isClusterAway { try await fleet.etcd.start() }
                try await machine.waitUntilCurrent()
                for agent in [second, first] {
                    agent.signal(SIGTERM)
                    #expect(try await agent.end() == .exit(0))
                }
            }
        }

        @Test("A link in place of the report is not followed: what it leads to stays as it is, the agent says so, and reports again without it")
        func link() async throws {
            try await withFleet { fleet in
                try await fleet.run("set", "a", "1")
                let machine = try fleet.machine("web-1")
                _ = try machine.startAgent()
                try await machine.waitUntilCurrent()
                let report = machine.folder.report(of: TestFleet.application), victim = "\(fleet.folder)/victim"
                try Data("precious".utf8).write(to: URL(fileURLWithPath: victim))
                #expect(symlink(victim, "\(report).new") == 0 && rename("\(report).new", report) == 0)
                try await eventually("it is said") { machine.words.contains("\"\(report)\" is a symbolic link") }
                #expect(try contents(ofFile: victim) == "precious")
                try FileManager.default.removeItem(atPath: report)
                try await machine.waitUntilCurrent()
            }
        }

        @Test("A client takes up renewed certificates when the old ones are refused, without being made anew")
        func renewed() async throws {
            try await withFleet { fleet in
                let good = try #require(fleet.etcd.ca), other = try await TestCA.stranger()
                let certificate = "\(fleet.folder)/client.crt", key = "\(fleet.folder)/client.key"
                func install(_ new: String, as path: String) throws {
                    try Data(contentsOf: URL(fileURLWithPath: new)).write(to: URL(fileURLWithPath: path), options: .atomic)
                }
                try install(other.client.file, as: certificate)
                try install(other.client.key, as: key)
                let access = FleetAccess(authorities: good.file, certificate: certificate, key: key)
                var client = try Fleet(endpoints: fleet.etcd.endpoints, applicationID: TestFleet.application, access: access)
                client.timeout = hangLimit
                let error = await #expect(throws: FleetError.self) { try await client.set("a", to: 1) }
                #expect(error?.reason == .accessDenied && error?.outcome == .didNotHappen)
                // One after the other, and the client looks in between.
                try install(good.client.file, as: certificate)
                let between = await #expect(throws: FleetError.self) { try await client.set("a", to: 1) }
                #expect(between?.reason == .accessDenied && between?.outcome == .didNotHappen)
                let new = #expect(throws: FleetError.self) {
                    try Fleet(endpoints: fleet.etcd.endpoints, applicationID: TestFleet.application, access: access)
                }
                #expect(new?.reason == .misconfigured && new?.description.contains(key) == true, "\(String(describing: new))")
                try install(good.client.key, as: key)
                try await client.set("a", to: 1)
                #expect(try await fleet.run("get", "a") == "1\n")
            }
        }

        @Test("An agent whose watch ends again and again does not log in each time")
        func login() async throws {
            try await withFleet(isSecure: false) { fleet in
                let agents = EtcdCluster.Role(name: "agents", password: TestSecret.text("agents"), rights: [("read", TestFleet.settings)])
                try await fleet.etcd.requireLogin(agents)
                let proxy = try WrongEtcd(before: fleet.etcd.members[0]) { path, _ in path == "/v3/watch" ? .lost : .answered }
                let machine = try fleet.machine("web-1").with { try $0.with(agents) }
                _ = try machine.startAgent("--endpoints", proxy.endpoint)
                func count(_ path: String) -> Int { proxy.paths.filter { $0 == path }.count }
                try await eventually("four watches have ended") { count("/v3/watch") > 3 }
                // A busy machine may take so long for one that it is made again.
                try await eventually("there are fewer logins than watches") {
                    (1..<count("/v3/watch")).contains(count("/v3/auth/authenticate"))
                }
            }
        }

        @Test("A report that cannot be written is noted once, however often that fails")
        func report() async throws {
            try await withFleet { fleet in
                try await fleet.run("set", "a", "1")
                let machine = try fleet.machine("web-1")
                // A folder where the report is to be.
                try FileManager.default.createDirectory(atPath: machine.folder.report(of: TestFleet.application), withIntermediateDirectories: true)
                _ = try machine.startAgent()
                // Each time that the mirror is written anew, a report was to be written, too.
                for _ in 0..<3 {
                    try await machine.wait(for: ["a": "1"])
                    try FileManager.default.removeItem(atPath: machine.path())
                }
                // It is told of again after the agent has lost the cluster, as a busy machine may have it.
                let words = machine.words
                let times = words.components(separatedBy: "trying again").map { part in
                    part.components(separatedBy: "report about the mirror could not be written").count - 1
                }
                #expect(times.allSatisfy { $0 < 2 } && times.contains(1), "\(words)")
            }
        }
    }
#endif

#if Fleet
    import Foundation
    import StoredValues
    import StoredValuesFiles
    import Testing

    @Suite("stored-values-fleet agent", .hangLimit)
    struct FleetAgentTests {}

    extension FleetAgentTests {
        @Test("A running program sees a change of the fleet at once, its own file stays above it, and a removal uncovers the default")
        func values() async throws {
            try await withFleet { fleet in
                let machine = try fleet.machine("web-1")
                let program = try machine.start("watch-setting", "limit")
                #expect(try await program.line() == "0")
                _ = try machine.startAgent()
                try await fleet.run("set", "limit", "1")
                #expect(try await program.line() == "1")
                try await fleet.run("set", "limit", "2", "--host", "web-1")
                #expect(try await program.line() == "2")
                let other = try machine.start("talk", "standard")
                #expect(try await other.ask("get limit") == "2")
                #expect(try await other.ask("source limit") == "fleet")
                let before = try await fleet.etcd.revision()
                #expect(try await other.ask("set limit 3") == "ok")
                #expect(try await other.ask("source limit") == "file")
                #expect(try await program.line() == "3")
                #expect(try await fleet.etcd.revision() == before, "a program changes its own file, never the cluster")
                try FileManager.default.removeItem(atPath: "\(machine.tool.folder)/.config/TestProcess/preferences.json")
                #expect(try await program.line() == "2")
                try await fleet.run("reset", "limit", "--host", "web-1")
                #expect(try await program.line() == "1")
                try await fleet.run("reset", "limit")
                #expect(try await program.line() == "0")
            }
        }

        @Test("The mirror is replaced only when values change, however long the cluster confirms it")
        func identity() async throws {
            try await withFleet { fleet in
                try await fleet.run("set", "limit", "1")
                let machine = try fleet.machine("web-1")
                let agent = try machine.startAgent()
                try await machine.wait(for: ["limit": "1"])
                let file = DurableFile(path: machine.path()), report = DurableFile(path: machine.folder.report(of: TestFleet.application))
                let (before, said) = (try file.currentIdentity(), try report.currentIdentity())
                for _ in 0..<2 { try await machine.waitUntilCurrent() }
                #expect(try report.currentIdentity() != said)
                // What does not concern this machine, and what leaves the value as it was.
                try await fleet.run("set", "limit", "2", "--host", "web-2")
                try await fleet.run("set", "limit", "1")
                try await machine.waitUntilCurrent()
                #expect(try file.currentIdentity() == before)
                _ = try await agent.kill()
                _ = try machine.startAgent()
                try await machine.waitUntilCurrent()
                #expect(try file.currentIdentity() == before)
                try await fleet.run("set", "limit", "3")
                try await machine.wait(for: ["limit": "3"])
                #expect(try file.currentIdentity() != before)
            }
        }

        @Test("Programs of all users may read the mirror and the report, whatever the agent's umask; the folders are theirs to enter")
        func modes() async throws {
            try await withFleet { fleet in
                try await fleet.run("set", "limit", "1")
                let machine = try fleet.machine("web-1").withStrictUmask()
                _ = try machine.startAgent()
                try await machine.waitUntilCurrent()
                for file in [machine.path(), machine.folder.report(of: TestFleet.application)] { #expect(try mode(file) == 0o644) }
                let fleetFolder = machine.folder.path
                for folder in [fleetFolder, "\(fleetFolder)/\(TestFleet.application)"] { #expect(try mode(folder) == 0o755) }
                // Another user's program reads them, and cannot change them.
                try SkippedCase.endUnlessRoot(because: "only root can become another user")
                for path in [machine.tool.folder, fleet.folder] {
                    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
                }
                let program = try machine.start("talk", "standard")
                #expect(try await program.ask("become 65534") == "ok")
                #expect(try await program.ask("get limit") == "1")
                try await eventually("it is current") { try await program.ask("fleet").hasPrefix("current") }
                #expect(try await program.ask("shell echo x > '\(machine.path())'").hasPrefix("0") == false)
            }
        }

        @Test("One agent keeps several applications apart, and none sees another's settings")
        func applications() async throws {
            try await withFleet { fleet in
                try await fleet.run("set", "limit", "1", "--app", "a")
                try await fleet.run("set", "limit", "2", "--app", "b")
                try await fleet.run("set", "limit", "3", "--app", "ab")
                let machine = try fleet.machine("web-1")
                _ = try machine.startAgent("--app", "a", "--app", "b")
                try await machine.wait(for: ["limit": "1"], of: "a")
                try await machine.wait(for: ["limit": "2"], of: "b")
                #expect(try machine.mirror(of: "ab") == nil)
                try await fleet.run("set", "other", "4", "--app", "b")
                try await machine.wait(for: ["limit": "2", "other": "4"], of: "b")
                #expect(try machine.values(of: "a") == ["limit": "1"])
            }
        }

        @Test("An application whose files cannot be used ends the agent with what is wrong, also where it keeps those of others")
        func unusable() async throws {
            try await withFleet(isSecure: false) { fleet in
                let machine = try fleet.machine("web-1"), file = "\(machine.folder.path)/b"
                try FileManager.default.createDirectory(atPath: machine.folder.path, withIntermediateDirectories: true)
                try Data().write(to: URL(fileURLWithPath: file))
                let agent = try machine.startAgent("--app", "a", "--app", "b")
                #expect(try await agent.end() == .exit(78))
                #expect(machine.words.contains("\"\(file)\""), "\(machine.words)")
            }
        }

        @Test("A second agent on the same folder waits, says so, and takes over when the first one is gone")
        func two() async throws {
            try await withFleet { fleet in
                try await fleet.run("set", "limit", "1")
                let machine = try fleet.machine("web-1")
                let first = try machine.startAgent()
                try await machine.wait(for: ["limit": "1"])
                _ = try machine.startAgent()
                try await eventually("the second one says so") { machine.words.contains("Another agent keeps") }
                try await fleet.run("set", "limit", "2")
                try await machine.wait(for: ["limit": "2"])
                try await first.kill()
                try await fleet.run("set", "limit", "3")
                try await machine.wait(for: ["limit": "3"])
                try await machine.waitUntilCurrent()
            }
        }

        @Test("An agent that is told to end says at once that the mirror is no longer kept, and ends with status 0", arguments: [SIGTERM, SIGINT, SIGHUP])
        func end(signal: Int32) async throws {
            try await withFleet { fleet in
                try await fleet.run("set", "limit", "1")
                let machine = try fleet.machine("web-1")
                let agent = try machine.startAgent()
                let status = try machine.watchStatus()
                try await status.line(beginningWith: "current")
                agent.signal(signal)
                #expect(try await agent.end() == .exit(0))
                guard case .stale(_, let why)? = try machine.report()?.state else { return #expect(Bool(false), "not stale") }
                #expect(why.contains("ended"))
                try await status.line(beginningWith: "stale")
                #expect(try machine.values() == ["limit": "1"])
                _ = try machine.startAgent()
                try await status.line(beginningWith: "current")
            }
        }

        @Test("An agent goes on where nobody reads any more what it says")
        func unheard() async throws {
            try await withFleet { fleet in
                try await fleet.run("set", "limit", "1")
                let machine = try fleet.machine("web-1")
                _ = try start(machine, fleet, by: #""$@" 2>&1 | true"#)
                try await machine.wait(for: ["limit": "1"])
                // By then it has said so.
                try await machine.waitUntilCurrent()
                try await fleet.run("set", "limit", "2")
                try await machine.wait(for: ["limit": "2"])
                try await machine.waitUntilCurrent()
            }
        }

        @Test("An agent that is to outlive its terminal does")
        func hangup() async throws {
            try await withFleet { fleet in
                let machine = try fleet.machine("web-1")
                let agent = try start(machine, fleet, by: #"trap "" HUP; exec "$@""#)
                try await machine.waitUntilCurrent()
                agent.signal(SIGHUP)
                try await fleet.run("set", "limit", "1")
                try await machine.wait(for: ["limit": "1"])
                agent.signal(SIGTERM)
                #expect(try await agent.end() == .exit(0))
            }
        }

        /// Starts an agent by a line of a shell.
        private func start(_ machine: FleetMachine, _ fleet: TestFleet, by script: String) throws -> TestProcess {
            try fleet.processes.start(
                command: Leash.launcher(log: machine.log) + ["/bin/sh", "-c", script, "sh"] + machine.tool.command(["agent", "--host", machine.name]),
                environment: machine.tool.environment)
        }

        @Test("An agent that waits for another to end, or for a cluster that is away, ends when it is told to, too")
        func endWhileWaiting() async throws {
            try await withFleet { fleet in
                let machine = try fleet.machine("web-1")
                _ = try machine.startAgent()
                try await machine.waitUntilCurrent()
                let second = try machine.startAgent()
                try await eventually("the second one waits") { machine.words.contains("Another agent keeps") }
                second.signal(SIGTERM)
                #expect(try await second.end() == .exit(0))
                try await fleet.etcd.killAll()
                let away = try fleet.machine("web-2")
                let third = try away.startAgent()
                try await eventually("it has tried") { away.words.contains("trying again") }
                third.signal(SIGTERM)
                #expect(try await third.end() == .exit(0))
            }
        }

        @Test("What lies under a setting's key and is not a setting is ignored, and named once; it costs no other setting")
        func broken() async throws {
            try await withFleet { fleet in
                try await fleet.run("set", "limit", "1")
                for (key, value) in [("bad", "{"), ("worse", "\u{1}"), ("listed", "[1]"), ("nothing", ""), ("versioned", #"{"value": 1, "version": -1}"#)] {
                    try await fleet.etcd.put("\(TestFleet.settings)everyone/\(key)", value)
                }
                for key in ["everyone/", "group/x", "group//x", "other/x", "everyone/$versions", "everyone/$fleet", ""] {
                    try await fleet.etcd.put("\(TestFleet.settings)\(key)", #"{"value": 1}"#)
                }
                let machine = try fleet.machine("web-1", groups: ["x"])
                _ = try machine.startAgent()
                try await machine.wait(for: ["limit": "1"])
                try await eventually("all are named") { machine.words.components(separatedBy: "is not a setting").count == 6 }
                let list = try await fleet.tool().run("list")
                #expect(list.status == 0 && list.output == "limit\teveryone\t1\n" && list.errors.contains("\"bad\" for everyone"), "\(list)")
                try await fleet.run("set", "bad", "2")
                try await machine.wait(for: ["limit": "1", "bad": "2"])
            }
        }

        @Test("Where the mirror cannot be written the agent says so, and goes on when it can")
        func unwritable() async throws {
            try await withFleet { fleet in
                try await fleet.run("set", "limit", "1")
                let machine = try fleet.machine("web-1")
                let place = URL(fileURLWithPath: machine.path())
                // A folder where the mirror is to be.
                try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
                _ = try machine.startAgent()
                try await machine.waitUntilStale(place.path)
                #expect(machine.words.contains(place.path))
                try FileManager.default.removeItem(at: place)
                try await machine.wait(for: ["limit": "1"])
                try await machine.waitUntilCurrent()
            }
        }
    }
#endif

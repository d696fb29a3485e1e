#if Fleet
    import Foundation
    import StoredValues
    import Testing

    @Suite("stored-values-fleet: as a tool", .hangLimit)
    struct FleetToolTests {}

    extension FleetToolTests {
        // MARK: Who did what

        @Test("log shows each change with who made it, when, for whom, from what and to what; the latest first")
        func log() async throws {
            try await withFleet { fleet in
                try await fleet.run("set", "limit", "1")
                try await fleet.run("set", "limit", "2")
                try await fleet.run("set", "other", "x", "--group", "canary")
                try await fleet.run("reset", "limit")
                try await fleet.run("reset", "limit")  // which changes nothing
                func rows(_ arguments: String...) async throws -> [[String]] {
                    try await fleet.tool().run(["log"] + arguments).output.split(separator: "\n")
                        .map { $0.split(separator: "\t").map(String.init) }
                }
                let all = try await rows()
                #expect(
                    all.map { Array($0.dropFirst(2).dropLast()) } == [
                        ["limit", "everyone", "2", "(nothing)"], ["other", "group/canary", "(nothing)", "\"x\""],
                        ["limit", "everyone", "1", "2"], ["limit", "everyone", "(nothing)", "1"],
                    ])
                #expect(all.allSatisfy { $0[1].contains("@") })
                // The number of the record, which is larger with each.
                let numbers = all.compactMap { $0.last.flatMap { Int($0) } }
                #expect(numbers.count == 4 && numbers == numbers.sorted(by: >))
                for row in all { _ = try Date(row[0], strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }
                #expect(try await rows("limit", "--limit", "2").map { $0[4] } == ["2", "1"])
                #expect(try await rows("nothing").isEmpty)
                // One record for each change, in the same transaction.
                let records = try await fleet.etcd.entries(TestFleet.log)
                let setting = try #require(try await fleet.etcd.entries("\(TestFleet.settings)group/canary/other").first)
                #expect(records.count == 4 && records.contains { $0.modRevision == setting.modRevision })
                let list = try await JSONValue(text: fleet.run("log", "--json", "--limit", "1"))?.arrayValue
                #expect(list?.first?["changes"]?.arrayValue?.first?["from"]?.intValue == 2)
                #expect(list?.first?["revision"]?.intValue == numbers.first)
                #expect(list?.first?["changes"]?.arrayValue?.first?["to"] == nil)
                #expect(try await fleet.tool().run("log", "--limit", "0").status == 64)
            }
        }

        @Test("log finds what is years old, however many changes there were at once, and leaves nothing out that it cannot read")
        func oldLog() async throws {
            try await withFleet { fleet in
                func key(_ milliseconds: Int, _ number: Int = 0) -> String {
                    let digits = String(milliseconds)
                    return "\(TestFleet.log)\(String(repeating: "0", count: 15 - digits.count))\(digits)-\(number)"
                }
                func put(_ key: String, _ setting: String, _ value: Int) async throws {
                    try await fleet.etcd.put(
                        key, #"{"at": "then", "by": "ann", "changes": [{"key": "\#(setting)", "for": "everyone", "to": \#(value)}]}"#)
                }
                try await put(key(0), "first", 0)
                // More than one answer has.
                for number in 1...60 { try await put(key(1_000_000_000_000, 100 + number), "limit", number) }
                try await put(key(Int(Date.now.timeIntervalSince1970 * 1000) + 999_999_999), "future", 1)
                try await fleet.etcd.put(key(1_100_000_000_000), "not a record")
                try await fleet.run("set", "now", "1")
                let log = try await fleet.tool().run("log", "--limit", "1000").output.split(separator: "\n")
                    .map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
                let expected = ["now", "(a record that cannot be read)", "future"] + Array(repeating: "limit", count: 60) + ["first"]
                #expect(log.map { String($0[2]) } == expected)
                #expect(log.filter { $0[2] == "limit" }.compactMap { Int($0[5]) } == (1...60).reversed())
                #expect(try await fleet.run("log", "first").contains("\tann\tfirst\t"))
                #expect(try await fleet.run("log", "--limit", "3").split(separator: "\n").count == 3)
            }
        }

        @Test("Who logs in with a name is in the log by that name")
        func names() async throws {
            try await withFleet { fleet in
                let ann = EtcdCluster.Role(name: "ann", password: "p", rights: [("readwrite", "/stored-values/")])
                let bob = EtcdCluster.Role(name: "bob", password: "q", rights: ann.rights)
                try await fleet.etcd.requireLogin(ann, bob)
                let tool = try fleet.tool().with(ann)
                #expect(try await tool.run("set", "limit", "1").status == 0)
                #expect(try await tool.run("log").output.contains("\tann\tlimit\t"))
                // The option takes precedence over the variable.
                let file = try #require(try fleet.tool().with(bob).environment["STORED_VALUES_FLEET_USER_FILE"])
                #expect(try await tool.run("set", "limit", "2", "--user-file", file).status == 0)
                #expect(try await tool.run("log", "--limit", "1").output.contains("\tbob\tlimit\t"))
            }
        }

        // MARK: Status

        @Test("status says of each member whether it answers, and has status 69 where the cluster as a whole does not")
        func status() async throws {
            try await withFleet(3) { fleet in
                try await fleet.run("set", "limit", "1")
                let members = fleet.etcd.members
                let whole = try await fleet.tool().status(answering: members.count)
                #expect(whole.output.contains("1 setting of TestProcess"), "\(whole)")
                for member in members { #expect(whole.output.contains("\(member.endpoint): answers")) }
                let steering = try await fleet.tool().with(["STORED_VALUES_APP": "a\nb"]).status(answering: members.count)
                #expect(steering.output.hasSuffix("\n0 settings of a\\nb\n"), "\(steering)")
                try await members[0].kill()
                try await fleet.etcd.waitUntilHealthy(members[1])
                let two = try await fleet.tool().status(answering: 2)
                #expect(two.output.components(separatedBy: members[0].endpoint).count == 2 && two.output.contains("\(members[0].endpoint) could not"), "\(two)")
                try await members[1].kill()
                let one = try await fleet.tool().run("status", "--json")
                let json = try #require(JSONValue(text: one.output))
                #expect(one.status == 69 && json["ok"] == .bool(false) && json["members"]?.arrayValue?.count == 3, "\(one)")
            }
        }

        // MARK: The command line

        @Test("Each option may stand in the environment, and takes precedence over it")
        func options() async throws {
            try await withFleet { fleet in
                try await fleet.run("set", "limit", "1")
                let ca = try #require(fleet.etcd.ca), stranger = try await TestCA.stranger()
                let variables = [
                    "STORED_VALUES_FLEET_ENDPOINTS", "STORED_VALUES_FLEET_CA", "STORED_VALUES_FLEET_CERT", "STORED_VALUES_FLEET_KEY",
                    "STORED_VALUES_APP", "STORED_VALUES_FLEET_USER_FILE",
                ]
                let options = [
                    "--endpoints", fleet.etcd.endpoints.joined(separator: ","), "--ca", ca.file, "--cert", ca.client.file, "--key",
                    ca.client.key, "--app", TestFleet.application,
                ]
                let bare = try fleet.tool().with(Dictionary(uniqueKeysWithValues: variables.map { ($0, nil) }))
                #expect(try await bare.run(["get", "limit"] + options).output == "1\n")
                let wrong = bare.with([
                    "STORED_VALUES_FLEET_ENDPOINTS": "https://127.0.0.1:1", "STORED_VALUES_FLEET_CA": stranger.file,
                    "STORED_VALUES_FLEET_CERT": stranger.client.file, "STORED_VALUES_FLEET_KEY": stranger.client.key,
                    "STORED_VALUES_APP": "other",
                ])
                #expect(try await wrong.run(["get", "limit"] + options).output == "1\n")
                // --folder is the agent's.
                let machine = try fleet.machine("web-1").with { $0.with(["STORED_VALUES_FLEET": "\(fleet.folder)/elsewhere"]) }
                _ = try machine.startAgent("--folder", "\(machine.tool.folder)/fleet")
                try await machine.wait(for: ["limit": "1"])
            }
        }

        @Test(
            "A wrong command line, address or file has its exit status and says in one line what to do",
            arguments: [
                (["get"], 64, "Missing expected argument"),
                (["get", "a", "--app", ""], 64, "application id"),
                (["set", "a", "1", "--group", "x", "--host", "y"], 64, "not both"),
                (["get", "a", "--endpoints", "http://192.0.2.1:2379"], 78, "encrypts nothing"),
                (["get", "a", "--endpoints", "127.0.0.1:2379"], 78, "https://"),
                (["get", "a", "--endpoints", "https://127.0.0.1"], 78, "port"),
                (["get", "a", "--ca", "/no/such/file"], 78, "/no/such/file"),
                (["get", "a", "--user-file", "/no/such/file"], 78, "/no/such/file"),
                (["get", "a", "--user", "a:b"], 64, "--user"),
                (["get", "a", "--password", "b"], 64, "--password"),
                (["get", "a", "--group", "x/y"], 78, "slash"),
                (["set", "$a", "1"], 78, "key"),
                (["agent", "--host", "x/y"], 78, "slash"),
                (["agent", "--ca", "/no/such/file"], 78, "/no/such/file"),
            ])
        func wrong(arguments: [String], status: Int32, words: String) async throws {
            try await withTemporaryFolder { folder in
                let path = try FleetTool.path
                let environment = [
                    "HOME": folder, "STORED_VALUES_APP": "x", "STORED_VALUES_FLEET": folder, "LC_ALL": "C.UTF-8",
                    "STORED_VALUES_FLEET_ENDPOINTS": "https://127.0.0.1:1",
                ]
                let run = try await FinishedProgram.run([path] + arguments, environment: environment, in: folder)
                #expect(run.status == status && run.output == "" && run.errors.contains(words), "\(run)")
                if status != 64 { #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)") }
            }
        }

        @Test(
            "Without a cluster or a program named nothing is guessed, and where no cluster answers the status is 69",
            arguments: [
                (["STORED_VALUES_APP": "x"], 64, "--endpoints"),
                (["STORED_VALUES_FLEET_ENDPOINTS": "https://127.0.0.1:1"], 64, "--app"),
                (["STORED_VALUES_APP": "x", "STORED_VALUES_FLEET_ENDPOINTS": "https://127.0.0.1:1"], 69, "127.0.0.1:1"),
            ])
        func missing(environment: [String: String], status: Int32, words: String) async throws {
            try await withTemporaryFolder { folder in
                let run = try await FinishedProgram.run([FleetTool.path, "get", "a"], environment: environment, in: folder)
                #expect(run.status == status && run.errors.contains(words), "\(run)")
            }
        }

        @Test("The help names every command, option, variable and exit status")
        func help() async throws {
            try await withTemporaryFolder { folder in
                func help(_ arguments: String...) async throws -> String {
                    let run = try await FinishedProgram.run([FleetTool.path] + arguments + ["--help"], environment: [:], in: folder)
                    #expect(run.status == 0 && run.errors == "")
                    return run.output
                }
                let commands = ["agent", "list", "get", "set", "reset", "log", "undo", "status"]
                let all = try await help()
                let variables = ["ENDPOINTS", "CA", "CERT", "KEY", "USER_FILE"].map { "STORED_VALUES_FLEET_\($0)" }
                for word in commands + variables + ["STORED_VALUES_APP", "STORED_VALUES_FLEET (", "69", "75", "78"] {
                    #expect(all.contains(word), "\(word)")
                }
                for command in commands {
                    let text = try await help(command)
                    for option in ["--endpoints", "--app", "--ca", "--cert", "--key", "--user-file"] {
                        #expect(text.contains(option), "\(command) \(option)")
                    }
                }
                #expect(try await help("agent").contains("--folder"))
            }
        }

        @Test("The completion scripts are sound", arguments: ["bash", "zsh", "fish"])
        func completions(shell: String) async throws {
            try await withTemporaryFolder { folder in
                let run = try await FinishedProgram.run(
                    [FleetTool.path, "--generate-completion-script", shell], environment: [:], in: folder)
                #expect(run.status == 0 && run.output.contains("stored-values-fleet"))
                let program = try Program.orSkip(shell)
                try writeFinished(Array(run.output.utf8), to: "\(folder)/script")
                let check = try await FinishedProgram.run(
                    [program.path, "-n", "\(folder)/script"], environment: ["HOME": folder], in: folder)
                #expect(check.status == 0 && check.errors == "", "\(check)")
            }
        }
    }
#endif

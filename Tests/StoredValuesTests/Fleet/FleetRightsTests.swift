#if Fleet
    import Foundation
    import StoredValues
    import Testing

    /// The roles of the article, and those who try to exceed them.
    @Suite("A fleet's rights", .hangLimit)
    struct FleetRightsTests {}

    extension FleetRightsTests {
        private static let agents = EtcdCluster.Role(
            name: "agents", password: TestSecret.text("agents"), rights: [("read", TestFleet.settings)])
        private static let operators = EtcdCluster.Role(
            name: "operators", password: TestSecret.text("operators"),
            rights: [("readwrite", TestFleet.settings), ("readwrite", TestFleet.log)])

        @Test("By the article's roles agents read the settings and nothing else; operators change them with their records, of this application alone")
        func roles() async throws {
            try await withFleet { fleet in
                try await fleet.run("set", "limit", "1", "--app", "other")
                func user(_ name: String) -> EtcdCluster.Role { EtcdCluster.Role(name: name, password: TestSecret.text(name), rights: []) }
                let block = try FleetDocumentationTests.block("rights").replacing("com.example.Server", with: TestFleet.application)
                for line in block.split(separator: "\n") {
                    var words = line.split(separator: " ").map(String.init)
                    try #require(words.removeFirst() == "etcdctl")
                    var input = ""
                    if words.starts(with: ["user", "add"]) {
                        input = "\(user(words[2]).password)\n"  // etcdctl asks for it
                        words.append("--interactive=false")
                    }
                    let run = try await fleet.etcd.etcdctl(words, input: input)
                    #expect(run.status == 0, "\(line): \(run.errors)")
                }
                fleet.etcd.come(as: user("root").login)
                let office = try fleet.tool().with(user("ann"))
                for arguments in [["set", "limit", "1"], ["get", "limit"], ["list"], ["log"], ["set", "x", "1"], ["reset", "x"]] {
                    let run = try await office.runUntilReached(arguments)
                    #expect(run.status == 0, "\(arguments): \(run)")
                }
                try await office.status()
                let machine = try fleet.machine("web-1").with { try $0.with(user("agent")) }
                _ = try machine.startAgent()
                try await machine.wait(for: ["limit": "1"])
                try await machine.waitUntilCurrent()

                let before = try await fleet.etcd.entries()
                try await refused(machine.tool, ["set", "limit", "2"], ["reset", "limit"], ["log"])
                for tool in [machine.tool, office] {
                    let foreign = tool.with(["STORED_VALUES_APP": "other"])
                    try await refused(foreign, ["get", "limit"], ["list"], ["set", "limit", "2"], ["reset", "limit"])
                }
                #expect(try await fleet.etcd.entries() == before)
            }
        }

        @Test("With another's, an old or no password nothing is read or changed", arguments: ["agents:wrong", "nobody:x", nil])
        func password(login: String?) async throws {
            try await withFleet { fleet in
                try await fleet.run("set", "limit", "1")
                try await fleet.etcd.requireLogin(Self.agents)
                let before = try await fleet.etcd.entries()
                var tool = try fleet.tool()
                if let login {
                    try writePrivate(login, to: "\(tool.folder)/user")
                    tool = tool.with(["STORED_VALUES_FLEET_USER_FILE": "\(tool.folder)/user"])
                }
                try await refused(tool, ["get", "limit"], ["set", "limit", "2"])
                #expect(try await fleet.etcd.entries() == before)
            }
        }

        @Test("A password that is changed in the cluster makes a machine stale until its file has the new one")
        func rotation() async throws {
            try await withFleet { fleet in
                try await fleet.run("set", "limit", "1")
                try await fleet.etcd.requireLogin(Self.agents)
                let machine = try fleet.machine("web-1").with { try $0.with(Self.agents) }
                _ = try machine.startAgent()
                let status = try machine.watchStatus()
                try await status.line(beginningWith: "current")
                let new = TestSecret.text("new")
                try await fleet.etcd.run("user", "passwd", "--interactive=false", Self.agents.name, input: "\(new)\n")
                try await fleet.etcd.members[0].kill()  // its tokens go with it
                try await fleet.etcd.start()
                try await status.staleLine(containing: "authentication failed")
                let file = try #require(machine.tool.environment["STORED_VALUES_FLEET_USER_FILE"])
                try writePrivate("\(Self.agents.name):\(new)\n", to: file)
                try await status.line(beginningWith: "current")
                let words = machine.words
                #expect(!words.isEmpty && TestSecret.traces(in: words).isEmpty)
            }
        }

        @Test("A file of a user that is not one line name:password is named, and never shown", arguments: ["", "agents", ":x", "agents:", "\u{0}"])
        func userFile(content: String) async throws {
            try await withTemporaryFolder { folder in
                // It is read before anybody is asked.
                let tool = try FleetTool(in: folder, endpoints: ["http://127.0.0.1:1"]), file = "\(folder)/user"
                try writePrivate(content, to: file)
                let run = try await tool.with(["STORED_VALUES_FLEET_USER_FILE": file]).run("get", "limit")
                #expect(run.status == 78 && run.errors.contains(file) && run.errors.contains("name:password"), "\(run)")
            }
        }

        @Test("A file with a password is used only if nobody else can read it, but where systemd or a container's runtime provides it")
        func privacy() async throws {
            try await withFleet { fleet in
                try await fleet.etcd.requireLogin(Self.operators)
                let tool = try fleet.tool().with(Self.operators)
                let file = try #require(tool.environment["STORED_VALUES_FLEET_USER_FILE"])
                func status(_ mode: Int, _ file: String, _ variables: [String: String?] = [:]) async throws -> Int32 {
                    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
                    let run = try await tool.with(variables.merging(["STORED_VALUES_FLEET_USER_FILE": file]) { $1 }).run("set", "limit", "1")
                    if run.status != 0 {
                        #expect(run.errors.contains("\"\(file)\" has a password, and others can read or change it"), "\(run)")
                        #expect(TestSecret.traces(in: run.errors).isEmpty)
                    }
                    return run.status
                }
                for mode in [0o600, 0o400] { #expect(try await status(mode, file) == 0) }
                for mode in [0o640, 0o604, 0o620, 0o644] { #expect(try await status(mode, file) == 78) }
                let credential = ["CREDENTIALS_DIRECTORY": tool.folder]
                #expect(try await status(0o440, file, credential) == 0)
                for mode in [0o444, 0o460] { #expect(try await status(mode, file, credential) == 78) }
                let volume = try KubernetesVolume("\(tool.folder)/login")
                try volume.update(["user": Self.operators.login])
                let mounted = "\(volume.path)/user"
                #expect(try await status(0o644, mounted) == 0)
                #expect(try await status(0o666, mounted) == 78)
                // A link that nobody provides could lead anywhere.
                let link = "\(tool.folder)/link"
                try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
                let run = try await tool.with(["STORED_VALUES_FLEET_USER_FILE": link]).run("get", "limit")
                #expect(run.status == 78 && run.errors.contains("is a symbolic link. Name the file itself."), "\(run)")
            }
        }

        // MARK: Certificates

        @Test("A cluster whose certificate is not by the named authority, or for another name, is not spoken with")
        func wrongAuthority() async throws {
            try await withFleet { fleet in
                let stranger = try await TestCA.stranger()
                try await refused(fleet.tool().with(["STORED_VALUES_FLEET_CA": stranger.file]), ["get", "limit"], ["set", "limit", "1"])
                try await refused(fleet.tool().with(["STORED_VALUES_FLEET_CA": nil]), ["get", "limit"])
                // By its name it is.
                let endpoint = "https://localhost:\(fleet.etcd.members[0].port)"
                #expect(try await fleet.tool().run("set", "limit", "1", "--endpoints", endpoint).status == 0)
            }
        }

        @Test("The cluster refuses who has no certificate, or one of another authority; nothing is stored")
        func wrongCertificate() async throws {
            try await withFleet { fleet in
                let stranger = try await TestCA.stranger()
                let other: [String: String?] = ["STORED_VALUES_FLEET_CERT": stranger.client.file, "STORED_VALUES_FLEET_KEY": stranger.client.key]
                let none: [String: String?] = ["STORED_VALUES_FLEET_CERT": nil, "STORED_VALUES_FLEET_KEY": nil]
                for variables in [other, none] { try await refused(fleet.tool().with(variables), ["get", "limit"], ["set", "limit", "1"]) }
                #expect(try await fleet.etcd.entries().isEmpty)
            }
        }

        @Test("A certificate with a common name is refused where logins are wanted, and the error says so")
        func commonName() async throws {
            try await withFleet { fleet in
                try await fleet.etcd.requireLogin(Self.operators)
                let named = try #require(fleet.etcd.ca).named
                let tool = try fleet.tool().with(Self.operators)
                    .with(["STORED_VALUES_FLEET_CERT": named.file, "STORED_VALUES_FLEET_KEY": named.key])
                let run = try await tool.run("set", "limit", "1")
                #expect(run.status == 77 && run.errors.contains("CommonName"), "\(run)")
                #expect(try await fleet.etcd.entries(TestFleet.settings).isEmpty)
            }
        }

        // MARK: Plaintext

        @Test("No command sends anything in the clear but to this machine: one such address among others is enough to be refused")
        func plaintext() async throws {
            try await withTemporaryFolder { folder in
                let endpoints = "https://127.0.0.1:1,http://192.0.2.1:2379"
                for command in [["get", "a"], ["set", "a", "1"], ["list"], ["status"], ["agent"]] {
                    let environment = ["STORED_VALUES_APP": "x", "STORED_VALUES_FLEET": folder, "STORED_VALUES_FLEET_ENDPOINTS": endpoints]
                    let run = try await FinishedProgram.run([FleetTool.path] + command, environment: environment, in: folder)
                    #expect(run.status == 78 && run.errors.contains("is not the address of an etcd member"), "\(command): \(run)")
                }
                #expect(!FileManager.default.fileExists(atPath: "\(folder)/x"))
            }
        }

        @Test("No redirection is followed, to whomever it leads")
        func redirect() async throws {
            let other = try WrongEtcd { _ in .init("{}") }
            let target = other.endpoint
            for status in ["301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"] {
                let server = try WrongEtcd { path in .init("", status: status, headers: ["Location: \(target)\(path)"]) }
                try await withTemporaryFolder { folder in
                    let environment = ["STORED_VALUES_APP": "x", "STORED_VALUES_FLEET_ENDPOINTS": server.endpoint]
                    let run = try await FinishedProgram.run([FleetTool.path, "get", "a"], environment: environment, in: folder)
                    #expect(run.status == 78, "\(run)")
                    #expect(!server.paths.isEmpty)
                }
            }
            #expect(other.paths.isEmpty)
        }

        /// Each command is refused with status 77 and prints nothing but why.
        private func refused(_ tool: FleetTool, _ commands: [String]...) async throws {
            for command in commands {
                let run = try await tool.run(command)
                #expect(run.status == 77 && run.output == "" && run.errors.split(separator: "\n").count == 1, "\(command): \(run)")
                #expect(TestSecret.traces(in: run.errors).isEmpty)
            }
        }
    }
#endif

#if Fleet
    import Foundation
    import StoredValues
    import Testing

    /// What a reader may copy from the articles about many machines, and the options and variables that they name.
    @Suite("Documentation of the fleet", .hangLimit)
    struct FleetDocumentationTests {}

    extension FleetDocumentationTests {
        private static let catalogue = "Sources/StoredValues/StoredValues.docc"
        private static let articles = ["\(catalogue)/Fleet.md", "\(catalogue)/FleetSecrets.md"]

        private static func article(_ path: String) throws -> String { try contents(ofFile: DocumentedPage.root.appending(path: path).path) }

        /// The block of the article that follows `<!-- test: name -->`.
        static func block(_ name: String) throws -> String {
            let text = try article(articles[0])
            let rest = text[try #require(text.range(of: "<!-- test: \(name) -->\n```"), "\(name)").upperBound...]
            let lines = rest[..<(try #require(rest.range(of: "\n```"))).lowerBound].split(separator: "\n", omittingEmptySubsequences: false)
            return lines.dropFirst().joined(separator: "\n") + "\n"
        }

        // MARK: The unit

        @Test("systemd knows every line of the unit, and the agent every option in it")
        func unit() async throws {
            let unit = try Self.block("unit"), program = "/usr/local/bin/stored-values-fleet"
            try #require(unit.contains("ExecStart=\(program) agent "))
            let known = try unit.replacing(program, with: FleetTool.path)
            #expect(try await complaints(about: known) == "")
            // A line that systemd does not know is only a warning.
            #expect(try await complaints(about: known.replacing("LockPersonality=", with: "LockPersonalty=")).contains("LockPersonalty"))
        }

        private func complaints(about unit: String) async throws -> String {
            let systemd = try Program.orSkip("systemd-analyze")
            return try await withTemporaryFolder { folder in
                let file = "\(folder)/stored-values-fleet.service"
                try writeFinished(Array(unit.utf8), to: file)
                let run = try await FinishedProgram.run(
                    [systemd.path, "verify", "--man=no", file], environment: ["PATH": "/usr/bin:/bin", "HOME": folder], in: folder)
                return run.status == 0 || !run.errors.isEmpty ? run.errors : "status \(run.status)"
            }
        }

        // MARK: The log

        @Test("What trims the log removes records that are older than it says, and no others")
        func trim() async throws {
            let etcdctl = try Program.orSkip("etcdctl").path
            try await withEtcd(isSecure: false) { etcd in
                let log = "/stored-values/com.example.Server/log/"
                func key(_ days: Double) -> String {
                    let milliseconds = Int((Date.now.timeIntervalSince1970 - days * 86400) * 1000)
                    return "\(log)\(String(repeating: "0", count: 15 - "\(milliseconds)".count))\(milliseconds)-x"
                }
                let (old, young) = (key(91), key(89))
                for key in [old, young, "/stored-values/com.example.Server/settings/everyone/limit", "\(log)999"] { try await etcd.put(key, "{}") }
                let environment = [
                    "PATH": "\((etcdctl as NSString).deletingLastPathComponent):/usr/bin:/bin", "ETCDCTL_ENDPOINTS": etcd.endpoints[0], "ETCDCTL_API": "3",
                    "ETCDCTL_DIAL_TIMEOUT": "600s", "ETCDCTL_COMMAND_TIMEOUT": "600s",
                ]  // else 2 and 5 s
                let run = try await FinishedProgram.run(["/bin/bash", "-euc", try Self.block("trim")], environment: environment, in: etcd.folder)
                #expect(run.status == 0 && run.output == "1\n", "\(run)")
                let keys = try await etcd.entries().map(\.key)
                #expect(keys.count == 3 && !keys.contains(old) && keys.contains(young), "\(keys)")
            }
        }

        // MARK: The quick start

        @Test("Who pastes the quick start sees the setting arrive in a program")
        func quickStart() async throws {
            try await withEtcd(isSecure: false) { etcd in
                try await withTemporaryFolder { folder in
                    var lines = try Self.block("quick start").split(separator: "\n").map(String.init)
                    try #require(lines.removeFirst().hasPrefix("etcd "))
                    let endpoint = try #require(lines.firstIndex { $0.contains("http://127.0.0.1:2379") })
                    lines[endpoint].replace("http://127.0.0.1:2379", with: etcd.endpoints[0])
                    // What it leaves running reads on; here it ends with the shell.
                    let watched = "\(folder)/watched"
                    let pasted = lines.joined(separator: "\n")
                        .replacing("stored-values watch &", with: "stored-values watch >\(watched) &")
                        // Else what follows would wait in vain for it, where the cluster is busy.
                        .replacing("stored-values-fleet set limit 200", with: "until stored-values-fleet set limit 200; do :; done")
                    // What is to be seen then, though not in the moment of pasting.
                    let promise = try #require(pasted.firstMatch(of: /stored-values doctor +# "(.+)"/)).1
                    let script = """
                        trap 'kill $(jobs -p)' EXIT
                        \(pasted)
                        grep -qm1 'limit.*200' < <(tail -n +1 -F --pid=$$ \(watched))
                        until stored-values doctor | grep -qF "$PROMISE"; do :; done
                        """
                    let tools = (try FleetTool.path as NSString).deletingLastPathComponent
                    let environment = [
                        "PATH": "\(tools):/usr/bin:/bin", "HOME": folder, "XDG_CONFIG_DIRS": "\(folder)/etc", "LC_ALL": "C.UTF-8",
                        "PROMISE": String(promise), "TMPDIR": folder,
                    ]
                    let run = try await FinishedProgram.run(["/bin/bash", "-c", script], environment: environment, in: folder)
                    #expect(run.status == 0 && run.output.contains("limit\teveryone\t200\n"), "\(run)")
                    #expect(try contents(ofFile: watched).contains("limit\t200\n"))
                }
            }
        }

        // MARK: Options and variables

        @Test("Every command, option and variable that the articles name exists", arguments: articles)
        func names(path: String) async throws {
            try await withTemporaryFolder { folder in
                func help(_ arguments: [String]) async throws -> String {
                    try await FinishedProgram.run([FleetTool.path] + arguments + ["--help"], environment: [:], in: folder).output
                }
                let text = try Self.article(path), all = try await help([])
                var seen = 0
                // A command ends where its line, its comment or its backtick begins or ends.
                for match in text.matches(of: /stored-values-fleet ((?:secret |schema )?[a-z-]+)([^`#|\n]*)/) {
                    let words = match.1.split(separator: " ").map(String.init)
                    guard all.contains("  \(words[0]) ") || all.contains("  \(words[0]), ") else {
                        Issue.record("no command: \(match.0)")
                        continue
                    }
                    let about = try await help(words)
                    #expect(about.contains("USAGE: stored-values-fleet \(words.joined(separator: " ")) "), "\(match.0)")
                    for option in match.2.matches(of: /--[a-z-]+/) {
                        #expect(about.contains("\(option.0) "), "\(match.0)")
                        seen += 1
                    }
                    seen += 1
                }
                var helps = all
                for command in [["agent"], ["secret", "set"]] { helps += try await help(command) }
                for match in text.matches(of: /STORED_VALUES_[A-Z_]+/) {
                    #expect(helps.contains(match.0), "\(match.0)")
                    seen += 1
                }
                #expect(seen > 10, "the article's commands are not found")
            }
        }
    }
#endif

#if Fleet
    import Foundation
    import StoredValues
    import StoredValuesFleet
    import Testing

    @Suite("Fleet: disclosure", .hangLimit)
    struct FleetDisclosureTests {}

    extension FleetDisclosureTests {
        private func id(_ name: String) -> SecretIdentifier { SecretIdentifier(service: TestFleet.application, account: name) }

        @Test("No disk, log or backup of the cluster, no mirror, report or output holds a secret, compressed or not; plain settings are found there")
        func disclosure() async throws {
            try await withFleet(3) { fleet in
                let key = try fleet.newKey(), new = try fleet.newKey("new"), tool = try fleet.tool()
                let plain = "plain-" + UUID().uuidString
                let said = "\(fleet.folder)/said", machine = try fleet.machine("web-1")
                var runs: [FinishedProgram] = []
                func run(_ arguments: [String], input: String = "", fails: Bool = false) async throws {
                    let run = try await tool.run(arguments, input: input)
                    #expect((run.status != 0) == fails, "\(arguments)")
                    runs.append(run)
                }
                func store(_ name: String, key: String) async throws {
                    try await run(["secret", "set", name, "--secrets-key", key], input: TestSecret.text(name))
                }
                let agent = try machine.startAgent()
                try await run(["set", "plain", plain])
                try await store("one", key: key)
                try await store("two", key: key)
                let file = EncryptedFileKeyring(path: "\(fleet.folder)/moved", key: .file(key), deadline: hangLimit)
                try await file.write(TestSecret.secret("three"), for: id("three"), label: "l")
                try await run(["secret", "move", "--from", "file:\(fleet.folder)/moved", "--secrets-key", key], fails: true)
                try FileManager.default.copyItem(atPath: key, toPath: "\(fleet.folder)/moved.key")
                try await run(["secret", "move", "--from", "file:\(fleet.folder)/moved", "--secrets-key", key])
                try await run(["secret", "set", "one", "--secrets-key", new], input: TestSecret.text("wrong key"), fails: true)
                try await run(["secret", "set", "large", "--secrets-key", key], input: String(repeating: TestSecret.text(), count: 70_000), fails: true)
                try await run(["secret", "rekey", "--secrets-key", key, "--new-key", new])
                try await store("four", key: new)
                try await run(["secret", "remove", "four", "--secrets-key", new])
                for command in [["secret", "list", "--secrets-key", new], ["secret", "confirm", "--yes", "--secrets-key", new], ["log"], ["log", "--json"], ["list"]] {
                    try await run(command)
                }
                runs.append(try await tool.status(answering: 3))
                try await run(["secret", "list", "--secrets-key", new, "--endpoints", "https://127.0.0.1:1"], fails: true)
                try await machine.waitForSecrets(fleet.etcd)
                let reader = try machine.startReader(new)
                // The control of the key: it does open what is searched.
                for name in ["one", "two", "three"] { #expect(try await reader.ask(name) == TestSecret.text(name)) }
                #expect(try await machine.startReader(key).ask("one").contains("error: "))

                try await fleet.etcd.saveSnapshot(to: "\(fleet.folder)/snapshot")
                try await fleet.etcd.compact()
                _ = try await fleet.etcd.killLeader()
                try await fleet.etcd.start()
                try await fleet.etcd.run("defrag")
                agent.signal(SIGTERM)
                _ = try await agent.end()
                try (runs.map { $0.output + $0.errors } + reader.logs).joined(separator: "\n").write(toFile: said, atomically: true, encoding: .utf8)

                let search = try TraceSearch()
                let places = [fleet.etcd.folder, fleet.folder]
                #expect(try await search.files(in: places, with: TestSecret.mark) == [])
                // Nor the keys, but where they belong.
                for path in [key, new] {
                    let bytes = try Data(contentsOf: URL(fileURLWithPath: path)).map { String(format: "%02x", $0) }.joined()
                    #expect(try await search.files(in: [fleet.etcd.folder, machine.folder.path, said], with: bytes) == [])
                }
                // All of that is searched, and what is not sealed is found.
                let found = try await search.files(in: places, with: plain)
                for member in fleet.etcd.members {
                    for part in ["/wal/", "/snap/"] { #expect(found.contains { $0.hasPrefix(member.folder) && $0.contains(part) }, "\(member.name)\(part)") }
                }
                for path in ["\(fleet.folder)/snapshot", machine.path(), said] { #expect(found.contains(path), "\(path)") }
                #expect(try await search.files(in: places, with: "is current, at revision").contains(machine.log))
            }
        }

        @Test("The search finds a text as it is, in hexadecimal and in Base64, also where that is compressed")
        func control() async throws {
            try await withTemporaryFolder { folder in
                let search = try TraceSearch(), mark = TestSecret.mark
                let script = """
                    import base64, bz2, gzip, lzma, os, sys, zlib
                    text = sys.stdin.buffer.read()
                    os.mkdir("planted")
                    forms = [text, text.hex().encode(), text.hex().upper().encode()] + [base64.b64encode(b"xyz"[:n] + text + b"abc") for n in range(3)]
                    for index, form in enumerate(forms):
                        for name, pack in [("plain", bytes), ("zlib", zlib.compress), ("gzip", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)]:
                            with open(f"planted/{index}-{name}", "wb") as file: file.write(os.urandom(1000) + pack(b"before" + form + b"after") + bytes(1000))
                    with open("planted/none", "wb") as file: file.write(os.urandom(100_000))
                    """
                let python = try Program.orSkip("python3").path
                let run = try await FinishedProgram.run(["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", folder, python, "-c", script], environment: [:], input: mark, in: folder)
                #expect(run.status == 0, "\(run.errors)")
                let found = try await search.files(in: ["\(folder)/planted"], with: mark)
                #expect(found.count == 30 && !found.contains("\(folder)/planted/none"), "\(found.sorted())")
            }
        }
    }
#endif

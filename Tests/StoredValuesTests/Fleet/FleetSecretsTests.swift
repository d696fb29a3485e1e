#if Fleet
    import Foundation
    import StoredValuesFleet
    import Testing

    @testable import StoredValues

    @Suite("Fleet: secrets", .hangLimit)
    struct FleetSecretsTests {}

    extension FleetSecretsTests {
        private func id(_ name: String) -> SecretIdentifier { SecretIdentifier(service: TestFleet.application, account: name) }

        // MARK: From the operator to the program

        @Test("A secret that is stored by the command is mirrored byte for byte, read on a machine with its key, and heard; so is its removal")
        func stored() async throws {
            try await withFleet { fleet in
                let key = try fleet.newKey(), machine = try fleet.machine("web-1")
                _ = try machine.startAgent()
                try await machine.waitUntilCurrent()
                let reader = try machine.startReader(key), hearer = try machine.start("watch-fleet-secret", key, "-", "token")
                #expect(try await reader.ask("token") == "absent")
                #expect(try await hearer.line() == "absent")
                for text in ["one", "two"] {
                    try await fleet.setSecret("token", to: "\(text)\n", key: key)
                    #expect(try await hearer.line() == text)
                    #expect(try await reader.ask("token") == text)
                    try await machine.waitForSecrets(fleet.etcd)
                }
                #expect(try await reader.ask("Token") == "absent")
                try await fleet.run("secret", "remove", "token", "--secrets-key", key)
                #expect(try await hearer.line() == "absent")
                #expect(try await reader.ask("token") == "absent")
                #expect(try await fleet.records().map { $0["changes"] } == Array(repeating: [["secret": "token"]], count: 3))
                try await machine.waitUntilCurrent()
            }
        }

        @Test("Secrets are listed by name alone; removing what is not there succeeds and changes nothing; status and list show settings only")
        func list() async throws {
            try await withFleet { fleet in
                let key = try fleet.newKey()
                #expect(try await fleet.run("secret", "list", "--secrets-key", key) == "")
                let before = try await fleet.etcd.revision()
                try await fleet.run("secret", "remove", "token", "--secrets-key", key)
                #expect(try await fleet.etcd.revision() == before)
                for name in ["token", "a b"] { try await fleet.setSecret(name, to: TestSecret.text(), key: key) }
                try await fleet.run("secret", "remove", "other", "--secrets-key", key)
                #expect(try await fleet.run("secret", "list", "--secrets-key", key) == "a b\ntoken\n")
                #expect(try await fleet.run("secret", "list", "--json", "--secrets-key", key).filter { !$0.isWhitespace } == #"["ab","token"]"#)
                #expect(try await fleet.run("secret", "list", "--service", "other", "--secrets-key", key) == "")
                try await fleet.run("set", "limit", "1")
                try await fleet.run("secret", "confirm", "--yes", "--secrets-key", key)
                #expect(try await fleet.run("list") == "limit\teveryone\t1\n")
                #expect(try await fleet.tool().status().output.hasSuffix("\n1 setting of \(TestFleet.application)\n"))
                let changes = try await fleet.run("log").split(separator: "\n").map { line in
                    let columns = line.split(separator: "\t")
                    return columns[2...].prefix(4).joined(separator: " ")
                }
                #expect(changes == ["(restored) secret", "limit everyone (nothing) 1", "a b secret", "token secret"])
                let environment = try fleet.tool().with(["STORED_VALUES_FLEET_SECRETS_KEY": key])
                #expect(try await environment.run("secret", "list").output == "a b\ntoken\n")
            }
        }

        @Test("Secrets move from an encrypted file of this machine: all are there before the first one is removed")
        func moved() async throws {
            try await withFleet { fleet in
                let key = try fleet.newKey(), old = "\(fleet.folder)/secrets"
                try TestFleet.writeKey(to: "\(old).key")
                let file = EncryptedFileKeyring(path: old, key: .file("\(old).key"), deadline: hangLimit)
                for name in ["token", "password"] { try await file.write(TestSecret.secret(name), for: id(name), label: name) }
                try await fleet.setSecret("token", to: "another", key: key)
                let move = ["secret", "move", "--from", "file:\(old)", "--secrets-key", key]
                let refused = try await fleet.tool().run(move)
                #expect(refused.status != 0 && refused.errors.contains("token"), "\(refused)")
                #expect(try await file.identifiers(inService: TestFleet.application).count == 2)
                let run = try await fleet.tool().attempt(move + ["--overwrite"])
                if run.wasLate {
                    // What it has moved before is not printed by the next one.
                    #expect(try await fleet.tool().run(move + ["--overwrite"]).status == 0)
                } else {
                    #expect(run.status == 0 && run.output == "moved: password\nmoved: token\n", "\(run)")
                }
                #expect(try await file.identifiers(inService: TestFleet.application).isEmpty)
                for name in ["token", "password"] { #expect(try await fleet.secrets(key).read(id(name)) == TestSecret.secret(name)) }
                #expect(try await fleet.tool().run(move).status == 0)
            }
        }

        // MARK: Writers

        @Test("Writers at once lose nothing, and each change has one record")
        func writers() async throws {
            try await withFleet { fleet in
                let key = try fleet.newKey(), secrets = try fleet.secrets(key)
                try await withThrowingTaskGroup { group in
                    for writer in 0..<4 {
                        group.addTask {
                            for number in 0..<10 { try await secrets.write(Secret("\(number)".utf8), for: id("\(writer)-\(number)"), label: "") }
                        }
                    }
                    for number in 0..<5 { group.addTask { try await fleet.setSecret("tool-\(number)", to: "\(number)", key: key) } }
                    try await group.waitForAll()
                }
                #expect(try await secrets.identifiers(inService: TestFleet.application).count == 45)
                #expect(try await secrets.read(id("3-9")) == Secret("9".utf8))
                #expect(try await fleet.records().count == 45)
                #expect(try await fleet.secretsGeneration() == 45)
            }
        }

        @Test("Secrets that are larger than one key takes are refused before anything is sent, one alone and all together")
        func tooLarge() async throws {
            try await withFleet { fleet in
                let secrets = try fleet.secrets(fleet.newKey())
                try await secrets.write(Secret(count: 700_000) { _ in }, for: id("one"), label: "")
                let before = try await fleet.etcd.revision(), bytes = try await fleet.etcd.bytes(TestFleet.secrets)
                for count in [650_000, 1 << 20, 3 << 20] {
                    await #expect(throws: KeyringError.tooLarge) { try await secrets.write(Secret(count: count) { _ in }, for: id("two"), label: "") }
                }
                #expect(try await fleet.etcd.revision() == before)
                #expect(try await fleet.etcd.bytes(TestFleet.secrets) == bytes)
                #expect(try await fleet.records().count == 1)
            }
        }

        @Test("As many secrets fit as the article and the comment say, and one of the largest size of any keyring")
        func room() throws {
            try withTemporaryFolder { folder in
                let key = "\(folder)/key"
                try TestFleet.writeKey(to: key)
                func sealedSize(_ count: Int, of size: Int) throws -> Int {
                    var secrets = try SealedSecrets(nil, key: .file(key), place: "the test")
                    for number in 1...count {
                        let id = SecretIdentifier(service: "com.example.Server", account: String(format: "password-%06d", number))
                        try secrets.set(Secret(count: size) { _ in }, for: id, label: "\(id.service)/\(id.account)")
                    }
                    return secrets.sealed().count
                }
                let few = try sealedSize(1000, of: 200), many = try sealedSize(2000, of: 200)
                let most = 1000 + (FleetSecrets.sizeLimit - few) * 1000 / (many - few)
                for path in ["Sources/StoredValues/StoredValues.docc/FleetSecrets.md", "Sources/StoredValuesFleet/FleetSecrets.swift"] {
                    // Wherever the lines end.
                    let text = try contents(ofFile: DocumentedPage.root.appending(path: path).path).replacing("///", with: "")
                        .split(whereSeparator: \.isWhitespace).joined(separator: " ")
                    let said = try #require(text.firstMatch(of: /some ([0-9,]+) (?:secrets )?of 200 bytes/), "\(path)").1
                    let number = try #require(Int(String(said).replacing(",", with: "")))
                    #expect(abs(number - most) * 20 < most, "\(path): \(most)")
                    #expect(text.contains(" \(Double(FleetSecrets.sizeLimit) / Double(1 << 20)) MiB"), "\(path)")
                }
                #expect(try sealedSize(1, of: Secret.sizeLimit) <= FleetSecrets.sizeLimit)
            }
        }

        @Test("With the wrong key nothing is read, and nothing is written")
        func wrongKey() async throws {
            try await withFleet { fleet in
                let key = try fleet.newKey(), wrong = try fleet.newKey("wrong")
                try await fleet.setSecret("token", to: TestSecret.text(), key: key)
                let before = try await fleet.etcd.revision()
                await #expect(throws: KeyringError.wrongKey) { try await fleet.secrets(wrong).read(id("token")) }
                for command in [["list"], ["set", "token"], ["remove", "token"], ["rekey", "--new-key", key]] {
                    let run = try await fleet.tool().run(["secret"] + command + ["--secrets-key", wrong], input: TestSecret.text("new"))
                    #expect(run.status == 77 && run.output == "", "\(command): \(run)")
                    #expect(run.errors.contains("The key in \"\(wrong)\" does not open") && !run.errors.contains("passphrase"), "\(command): \(run)")
                }
                #expect(try await fleet.etcd.revision() == before)
                #expect(try await fleet.secrets(key).read(id("token")) == TestSecret.secret())
            }
        }

        @Test("What is not an encrypted file, or one of a later version, is neither read nor written over")
        func damaged() async throws {
            try await withFleet { fleet in
                let key = try fleet.newKey(), secrets = try fleet.secrets(key)
                try await fleet.setSecret("token", to: TestSecret.text(), key: key)
                let sound = try #require(try await fleet.etcd.bytes(TestFleet.secrets))
                var changed = sound, later = sound
                changed[130] ^= 1
                later[8] = 2
                later.replaceSubrange(112..<128, with: EncryptedFileHeader.checksum(of: Array(later[..<112])))
                for wrong in [[], [1], Array(sound.dropLast()), changed, later] {
                    try await fleet.etcd.put(TestFleet.secrets, wrong)
                    for attempt in 0..<4 {
                        let error = await #expect(throws: KeyringError.self) {
                            switch attempt {
                            case 0: _ = try await secrets.read(id("token"))
                            case 1: try await secrets.write(Secret([1]), for: id("token"), label: "")
                            case 2: try await secrets.remove(id("token"))
                            default: try await secrets.rekey(to: .file(key))
                            }
                        }
                        let isLater = if case .other(_, 3, let message) = error { message.contains("newer version") } else { false }
                        #expect(wrong == later ? isLater : error == .damaged(path: TestFleet.secrets), "\(String(describing: error))")
                    }
                    #expect(try await fleet.etcd.bytes(TestFleet.secrets) == wrong)
                }
            }
        }

        @Test("A program finds its key among the credentials that systemd gives it, or in a volume that its container has mounted")
        func keySources() async throws {
            try await withFleet { fleet in
                // Text, as a volume's files are; and as long as a key must be.
                let key = "\(fleet.folder)/key", text = UUID().uuidString
                let manager = FileManager.default
                try #require(manager.createFile(atPath: key, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600]))
                try await fleet.setSecret("token", to: "one", key: key)
                let credentials = "\(fleet.folder)/credentials", volume = try KubernetesVolume("\(fleet.folder)/volume")
                try manager.createDirectory(atPath: credentials, withIntermediateDirectories: false)
                try manager.copyItem(atPath: key, toPath: "\(credentials)/fleet-key")
                try manager.setAttributes([.posixPermissions: 0o440], ofItemAtPath: "\(credentials)/fleet-key")
                try volume.update(["fleet-key": text])
                let machine = try fleet.machine("web-1").with { $0.with(["CREDENTIALS_DIRECTORY": credentials]) }
                _ = try machine.startAgent()
                try await machine.waitForSecrets(fleet.etcd)
                let mounted = "\(volume.path)/fleet-key"
                for source in ["credential:fleet-key", "mounted:\(mounted)"] {
                    #expect(try await machine.startReader(source, former: "credential:former-fleet-key").ask("token") == "one")
                }
                // Where there may be other users, a file like that of a volume is refused.
                #expect(try await machine.startReader(mounted).ask("token").hasPrefix("error: "))
            }
        }

        @Test("Where there are no secrets, none is read without a key, and no key is made by looking")
        func none() async throws {
            try await withFleet { fleet in
                let path = "\(fleet.folder)/made", secrets = try fleet.client().secrets(key: .generatedFile(path))
                #expect(try await secrets.read(id("token")) == nil)
                #expect(try await secrets.identifiers(inService: TestFleet.application).isEmpty)
                try await secrets.remove(id("token"))
                #expect(!FileManager.default.fileExists(atPath: path))
                try await secrets.write(Secret([1]), for: id("token"), label: "")
                #expect(FileManager.default.fileExists(atPath: path))
                #expect(try await secrets.read(id("token")) == Secret([1]))
            }
        }

        @Test("A secret without a name is refused, and so is a new key where there are no secrets; nothing is stored")
        func nothing() async throws {
            try await withFleet { fleet in
                let key = try fleet.newKey(), new = try fleet.newKey("new")
                for command in ["set", "remove"] {
                    let run = try await fleet.tool().run(["secret", command, "", "--secrets-key", key], input: "x")
                    #expect(run.status == 64 && run.errors.contains("must not be empty"), "\(run)")
                }
                let run = try await fleet.tool().run("secret", "rekey", "--secrets-key", key, "--new-key", new)
                #expect(run.status == 77 && run.errors.contains("has no secrets whose key could be changed"), "\(run)")
                #expect(try await fleet.etcd.entries().isEmpty)
            }
        }

        @Test("A new key that does not exist is to be made, not found again, and nothing is changed")
        func missingNewKey() async throws {
            try await withFleet(isSecure: false) { fleet in
                let key = try fleet.newKey(), missing = "\(fleet.folder)/missing"
                try await fleet.setSecret("token", to: "one", key: key)
                let before = try await fleet.etcd.revision()
                let run = try await fleet.tool().run("secret", "rekey", "--secrets-key", key, "--new-key", missing)
                #expect(run.status == 78 && run.errors.contains("The new key \"\(missing)\" does not exist. Make it"), "\(run)")
                // What cannot be reached may be there, and must not be made anew.
                #expect(symlink(missing, missing) == 0)
                let circle = try await fleet.tool().run("secret", "rekey", "--secrets-key", key, "--new-key", missing)
                #expect(circle.status != 0 && !circle.errors.contains("does not exist"), "\(circle)")
                #expect(try await fleet.etcd.revision() == before)
            }
        }

        @Test("Agents need the right to read the settings and no other for the secrets; operators that to change them")
        func rights() async throws {
            let agents = EtcdCluster.Role(name: "agents", password: TestSecret.text("agents"), rights: [("read", TestFleet.settings)])
            let operators = EtcdCluster.Role(
                name: "operators", password: TestSecret.text("operators"),
                rights: [("readwrite", TestFleet.settings), ("readwrite", TestFleet.log)])
            try await withFleet { fleet in
                try await fleet.etcd.requireLogin(agents, operators)
                let key = try fleet.newKey(), office = try fleet.tool().with(operators)
                let stored = try await office.run(["secret", "set", "token", "--secrets-key", key], input: "one")
                #expect(stored.status == 0, "\(stored)")
                let machine = try fleet.machine("web-1").with { try $0.with(agents) }
                _ = try machine.startAgent()
                try await machine.waitForSecrets(fleet.etcd)
                try await machine.waitUntilCurrent()
                let refused = try await machine.tool.run(["secret", "set", "token", "--secrets-key", key], input: TestSecret.text())
                #expect(refused.status == 77 && refused.errors.contains("permission denied") && TestSecret.traces(in: refused.errors).isEmpty, "\(refused)")
                #expect(try await machine.tool.run("secret", "confirm", "--yes", "--secrets-key", key).status == 77)
                #expect(try await machine.startReader(key).ask("token") == "one")
            }
        }
    }
#endif

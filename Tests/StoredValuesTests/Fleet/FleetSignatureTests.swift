#if Fleet
    import Foundation
    import Testing

    @testable import StoredValues
    @testable import StoredValuesFleet

    @Suite("Fleet: signed secrets", .hangLimit)
    struct FleetSignatureTests {}

    extension FleetSignatureTests {
        private static let signature = "\(TestFleet.secrets)-signature", epoch = "\(TestFleet.secrets)-epoch"

        /// A file of the highest generation that anybody can claim, which nobody can open.
        private func forged(from sound: [UInt8]) -> [UInt8] {
            var file = sound
            file.replaceSubrange(48..<56, with: [UInt8](repeating: 0xFF, count: 8))
            file.replaceSubrange(112..<128, with: EncryptedFileHeader.checksum(of: Array(file[..<112])))
            return file
        }

        private func publicKey(_ fleet: TestFleet, _ key: String) async throws -> String {
            try await fleet.run("secret", "public-key", "--secrets-key", key).trimmingCharacters(in: .newlines)
        }

        @Test("Forged secrets of the highest generation are refused by an agent with the public key, which says so; without it they are taken over, and programs say that they cannot use them")
        func forged() async throws {
            try await withFleet { fleet in
                let key = try fleet.newKey(), careful = try fleet.machine("web-1"), blind = try fleet.machine("web-2")
                try await fleet.setSecret("token", to: "one", key: key)
                _ = try careful.startAgent("--secrets-public-key", try await publicKey(fleet, key))
                _ = try blind.startAgent()
                for machine in [careful, blind] {
                    try await machine.waitForSecrets(fleet.etcd)
                    try await machine.waitUntilCurrent()
                }
                let sound = try #require(try await fleet.etcd.bytes(TestFleet.secrets)), program = try blind.startReader(key)
                #expect(try await program.ask("token") == "one")
                try await fleet.etcd.put(TestFleet.secrets, forged(from: sound))
                try await careful.waitUntilStale("are not what was signed")
                #expect(try careful.secrets() == sound)
                #expect(try await careful.startReader(key).ask("token") == "one")

                try await blind.waitForSecrets(fleet.etcd)
                try await blind.waitUntilCurrent()
                // A confirmation counts for 10 s, which a busy machine may need for other things.
                func wait(forStatus words: String) async throws {
                    try await eventually("the program says: \(words)") { try await program.ask("(status)").contains(words) }
                }
                try await wait(forStatus: "are current")
                #expect(try await program.ask("token").contains("damaged"))
                try await wait(forStatus: "This program cannot use the fleet's secrets")
                let said = "cannot tell whether the cluster's secrets are genuine"
                #expect(blind.words.components(separatedBy: said).count == 2 && !careful.words.contains(said))

                // Nobody can store anything on a forged file; an operator brings back the genuine one, and confirms it.
                try await fleet.etcd.put(TestFleet.secrets, sound)
                try await careful.waitUntilCurrent()
                try await blind.waitUntilStale("secret confirm")
                try await fleet.run("secret", "confirm", "--yes", "--secrets-key", key)
                for machine in [careful, blind] {
                    try await machine.waitForSecrets(fleet.etcd)
                    try await machine.waitUntilCurrent()
                }
                #expect(try await program.ask("token") == "one")
                try await wait(forStatus: "are current")
            }
        }

        @Test("Neither an old file in a later epoch, nor a file without a signature or of another application, is taken over; on a new machine such secrets are missed, not absent")
        func replayed() async throws {
            try await withFleet { fleet in
                let key = try fleet.newKey(), name = try await publicKey(fleet, key), machine = try fleet.machine("web-1")
                try await fleet.setSecret("token", to: "one", key: key)
                let old = try #require(try await fleet.etcd.bytes(TestFleet.secrets)), oldSignature = try #require(try await fleet.etcd.value(Self.signature))
                try await fleet.setSecret("token", to: "two", key: key)
                _ = try machine.startAgent("--secrets-public-key", name)
                try await machine.waitForSecrets(fleet.etcd)
                let new = try machine.secrets()
                try await fleet.etcd.put(Self.epoch, #"{"epoch": 99}"#)
                try await machine.waitUntilStale("are not what was signed")
                try await fleet.etcd.put(TestFleet.secrets, old)
                try await fleet.etcd.put(Self.signature, oldSignature)
                try await machine.waitUntilStale("are not what was signed")
                try await fleet.etcd.delete(Self.signature)
                try await machine.waitUntilStale("have no signature")
                // What this key has signed for another application, in the same epoch.
                try await fleet.setSecret("token", to: "other", key: key, of: "Other")
                let others = "/stored-values/Other/settings/secrets"
                try await fleet.etcd.put(TestFleet.secrets, try #require(try await fleet.etcd.bytes(others)))
                try await fleet.etcd.put(Self.signature, try #require(try await fleet.etcd.value("\(others)-signature")))
                try await fleet.etcd.delete(Self.epoch)
                try await machine.waitUntilStale("are not what was signed")
                #expect(try machine.secrets() == new)
                let fresh = try fleet.machine("web-2")
                _ = try fresh.startAgent("--secrets-public-key", name)
                try await fresh.waitUntilStale("are not what was signed")
                #expect(try fresh.secrets() == nil)
                #expect(try await fresh.startReader(key).ask("token").contains("is missing"))
            }
        }

        @Test("Nothing is signed in an epoch that an attacker wrote: on an old file in it nothing is stored before an operator confirms it, and a new file begins in none")
        func laundered() async throws {
            try await withFleet { fleet in
                let key = try fleet.newKey(), new = try fleet.newKey("new"), machine = try fleet.machine("web-1")
                try await fleet.setSecret("token", to: "one", key: key)
                let old = try #require(try await fleet.etcd.bytes(TestFleet.secrets))
                for number in 2...5 { try await fleet.setSecret("token", to: "\(number)", key: key) }
                _ = try machine.startAgent("--secrets-public-key", try await publicKey(fleet, key), "--secrets-public-key", try await publicKey(fleet, new))
                try await machine.waitForSecrets(fleet.etcd)
                let latest = try machine.secrets()
                try await fleet.etcd.put(TestFleet.secrets, old)
                try await fleet.etcd.put(Self.epoch, #"{"epoch": \#(Int(Date.now.timeIntervalSince1970 * 1000))}"#)
                let before = try await fleet.etcd.revision(), local = "\(fleet.folder)/local", id = SecretIdentifier(service: TestFleet.application, account: "local")
                try TestFleet.writeKey(to: "\(local).key")
                let file = EncryptedFileKeyring(path: local, key: .file("\(local).key"), deadline: hangLimit)
                try await file.write(Secret([1]), for: id, label: "")
                for arguments in [["set", "other"], ["remove", "token"], ["rekey", "--new-key", new], ["move", "--from", "file:\(local)"]] {
                    let run = try await fleet.tool().run(["secret"] + arguments + ["--secrets-key", key], input: "x")
                    #expect(run.status == 77 && run.errors.contains("nobody has signed") && run.errors.contains("secret confirm"), "\(run)")
                    // A move may have changed something before.
                    #expect(run.errors.contains("Nothing was changed") == (arguments[0] != "move"), "\(run)")
                }
                #expect(try await fleet.etcd.revision() == before)
                #expect(try await file.read(id) == Secret([1]))
                try await machine.waitUntilStale("are not what was signed")
                // Where there is no file, nobody can say what was signed.
                try await fleet.etcd.delete(TestFleet.secrets)
                let confirmed = try await fleet.tool().run("secret", "confirm", "--yes", "--secrets-key", key)
                #expect(confirmed.status == 77 && confirmed.errors.contains("has no secrets that could be confirmed"), "\(confirmed)")
                try await fleet.setSecret("token", to: "six", key: key)
                #expect(try await fleet.etcd.value(Self.epoch) == nil)
                try await machine.waitUntilStale("(generation 1, seen 5)")
                #expect(try machine.secrets() == latest)
                try await fleet.run("secret", "confirm", "--yes", "--secrets-key", key)
                // In an epoch that was signed they are changed as ever, and so is the key.
                try await fleet.setSecret("token", to: "seven", key: key)
                try await fleet.run("secret", "rekey", "--secrets-key", key, "--new-key", new)
                try await fleet.setSecret("token", to: "eight", key: new)
                try await machine.waitForSecrets(fleet.etcd)
                try await machine.waitUntilCurrent()
                #expect(try await machine.startReader(new).ask("token") == "eight")
            }
        }

        @Test("While the key is changed an agent is given both public keys; one that has the old alone keeps what it has, and says why")
        func rotated() async throws {
            try await withFleet { fleet in
                let old = try fleet.newKey("old"), new = try fleet.newKey("new")
                let names = try await [publicKey(fleet, old), publicKey(fleet, new)]
                #expect(names[0] != names[1])
                try await fleet.setSecret("token", to: "one", key: old)
                let both = try fleet.machine("web-1").with { $0.with(["STORED_VALUES_FLEET_SECRETS_PUBLIC_KEY": names.joined(separator: ",")]) }
                let late = try fleet.machine("web-2")
                _ = try both.startAgent()
                let agent = try late.startAgent("--secrets-public-key", names[0])
                for machine in [both, late] { try await machine.waitForSecrets(fleet.etcd) }
                let before = try late.secrets()
                try await fleet.run("secret", "rekey", "--secrets-key", old, "--new-key", new)
                try await both.waitForSecrets(fleet.etcd)
                try await both.waitUntilCurrent()
                try await late.waitUntilStale("are signed with another key")
                #expect(try late.secrets() == before)
                try await agent.kill()
                _ = try late.startAgent("--secrets-public-key", names[0], "--secrets-public-key", names[1])
                try await late.waitForSecrets(fleet.etcd)
                try await late.waitUntilCurrent()
            }
        }

        @Test("What is signed needs a key file that opens the secrets: a passphrase and another key change and confirm nothing")
        func keys() async throws {
            try await withFleet { fleet in
                let key = try fleet.newKey(), wrong = try fleet.newKey("wrong"), client = try fleet.client()
                try await fleet.setSecret("token", to: "one", key: key)
                let before = try await fleet.etcd.revision()
                let phrase = await #expect(throws: FleetError.self) { try await client.confirmRestoredSecrets(key: .passphrase { Secret([1]) }) }
                #expect(phrase?.reason == .misconfigured && phrase?.description.contains("a passphrase cannot sign") == true)
                let other = await #expect(throws: FleetError.self) { try await client.confirmRestoredSecrets(key: .file(wrong)) }
                #expect(other?.reason == .accessDenied && other?.outcome == .didNotHappen)
                let run = try await fleet.tool().run("secret", "confirm", "--yes", "--secrets-key", wrong)
                #expect(run.status == 77 && run.errors.contains("The key in \"\(wrong)\" does not open"), "\(run)")
                #expect(try await fleet.tool().run("secret", "confirm", "--yes").status == 64)
                await #expect(throws: KeyringError.self) { try await client.secrets(key: .file(key)).rekey(to: .passphrase { Secret([1]) }) }
                #expect(try await fleet.etcd.revision() == before)
                try await client.confirmRestoredSecrets(key: .file(key))
                #expect(try await fleet.etcd.revision() == before + 1)
                let usage = try await fleet.tool().run("agent", "--secrets-public-key", "x")
                #expect(usage.status == 64 && usage.errors.contains("is not a public key"), "\(usage)")
                // What is there and names none does not turn the check off.
                for nothing in ["", " ,"] {
                    let option = try await fleet.tool().run("agent", "--secrets-public-key", nothing)
                    let variable = try await fleet.tool().with(["STORED_VALUES_FLEET_SECRETS_PUBLIC_KEY": nothing]).run("agent")
                    for run in [option, variable] { #expect(run.status == 64 && run.errors.contains("is there, but empty"), "\(run)") }
                }
            }
        }

        @Test("Signatures are those of RFC 8032, and a signature with s + L is none")
        func vector() throws {
            func bytes(_ hex: String) -> [UInt8] { hex.utf8.count.isMultiple(of: 2) ? stride(from: 0, to: hex.count, by: 2).map { UInt8(hex.dropFirst($0).prefix(2), radix: 16) ?? 0 } : [] }
            let pair = Sodium.signingPair(Secret(bytes("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")))
            #expect(pair.publicKey == bytes("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"))
            var signature = Sodium.signature(of: [], by: pair.secretKey)
            let known = "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
            #expect(signature == bytes(known) && Sodium.isSignature(signature, of: [], by: pair.publicKey))
            #expect(!Sodium.isSignature(signature, of: [1], by: pair.publicKey) && !Sodium.isSignature([], of: [], by: pair.publicKey))
            // The order of the curve, the lowest byte first.
            let order = bytes("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
            var carry = 0
            for index in 0..<32 {
                carry += Int(signature[32 + index]) + Int(order[index])
                (signature[32 + index], carry) = (UInt8(carry & 0xFF), carry >> 8)
            }
            #expect(!Sodium.isSignature(signature, of: [], by: pair.publicKey))
        }
    }
#endif

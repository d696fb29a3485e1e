#if Fleet
    import Foundation
    import StoredValues
    import StoredValuesFleet
    import Testing

    @Suite("Fleet: the change of the key", .hangLimit)
    struct FleetKeyRotationTests {}

    extension FleetKeyRotationTests {
        @Test("By the article's steps no machine is without its secrets at any moment: readers on each read on and never see an error or nothing")
        func steps() async throws {
            try await withFleet { fleet in
                let old = try fleet.newKey("old"), new = try fleet.newKey("new")
                try await fleet.setSecret("token", to: "one", key: old)
                let machines = try (1...3).map { try fleet.machine("web-\($0)") }
                func key(_ name: String, _ machine: FleetMachine) -> String { "\(machine.tool.folder)/\(name).key" }
                func give(_ name: String, _ path: String, to machine: FleetMachine) throws {
                    // As one file that is there at once.
                    try FileManager.default.copyItem(atPath: path, toPath: key(name, machine) + ".part")
                    try FileManager.default.moveItem(atPath: key(name, machine) + ".part", toPath: key(name, machine))
                }
                var readers: [TestProcess] = []
                for machine in machines {
                    try give("old", old, to: machine)
                    _ = try machine.startAgent()
                    try await machine.waitForSecrets(fleet.etcd)
                    // Programs know both keys before there is a new one.
                    readers.append(try machine.start("read-fleet-secret", key("new", machine), key("old", machine), "token"))
                }
                for reader in readers { #expect(try await reader.line() == "one") }
                /// Each reader reads on its way from before this to after it.
                func store(_ text: String, key: String) async throws {
                    try await fleet.setSecret("token", to: text, key: key)
                    for reader in readers { #expect(try await reader.line() == text) }
                }
                // 1. The new key, one machine after the other.
                for (number, machine) in machines.enumerated() {
                    try give("new", new, to: machine)
                    try await store("given \(number)", key: old)
                }
                // 2. The secrets are sealed with it; to and fro, so that more reads fall in between.
                for (round, keys) in [[old, new], [new, old], [old, new]].enumerated() {
                    try await fleet.run("secret", "rekey", "--secrets-key", keys[0], "--new-key", keys[1])
                    for machine in machines { try await machine.waitForSecrets(fleet.etcd) }
                    try await store("sealed \(round)", key: keys[1])
                }
                // 3. The old key is taken away.
                for (number, machine) in machines.enumerated() {
                    try FileManager.default.removeItem(atPath: key("old", machine))
                    try await store("taken \(number)", key: new)
                }
                for reader in readers { try reader.send("end") }
                for reader in readers {
                    let rest = try await reader.lines()
                    #expect(rest.count == 1 && Int(rest[0]) ?? 0 > 0, "\(rest)")
                }
                // Programs that are started now need the new key alone; the old one opens nothing.
                #expect(try await machines[0].startReader(key("new", machines[0])).ask("token") == "taken 2")
                #expect(try await machines[0].startReader(old).ask("token").contains("does not open"))
                #expect(try await fleet.records().last?["changes"] == [["secret": "token"]])
                #expect(try await fleet.records().filter { $0["changes"] == [["secret": "(the key)"]] }.count == 3)
            }
        }

        @Test("While keys are changed a machine has the old one, the new one or both, and each reads with what it has")
        func keys() async throws {
            try await withFleet { fleet in
                let old = try fleet.newKey("old"), new = try fleet.newKey("new"), missing = "\(fleet.folder)/missing"
                try await fleet.setSecret("token", to: "one", key: old)
                let machine = try fleet.machine("web-1")
                _ = try machine.startAgent()
                try await machine.waitForSecrets(fleet.etcd)
                let both = try machine.startReader(new, former: old), onlyOld = try machine.startReader(missing, former: old)
                let onlyNew = try machine.startReader(new, former: missing), neither = try machine.startReader(missing, former: missing)
                for reader in [both, onlyOld] { #expect(try await reader.ask("token") == "one") }
                #expect(try await onlyNew.ask("token").contains("does not open"))
                #expect(try await neither.ask("token").contains(missing))
                try await fleet.run("secret", "rekey", "--secrets-key", old, "--new-key", new)
                try await machine.waitForSecrets(fleet.etcd)
                for reader in [both, onlyNew] { #expect(try await reader.ask("token") == "one") }
                #expect(try await onlyOld.ask("token").hasPrefix("error: "))
                #expect(try await neither.ask("token").contains(missing))
                // The same key twice, and no secrets, are no trouble.
                #expect(try await machine.startReader(new, former: new).ask("other") == "absent")
            }
        }
    }
#endif

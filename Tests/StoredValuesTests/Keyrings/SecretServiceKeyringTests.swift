import Foundation
import StoredValues
import Testing

/// What the real daemon does. One after the other: a stopped daemon holds up the thread that all keyrings share.
@Suite(
    "SecretServiceKeyring", .serialized, .hangLimit,
    .enabled(if: PrivateDesktop.isAvailable, "\(PrivateDesktop.skipReason)"))
struct SecretServiceKeyringTests {
    private let desktops = PrivateDesktops()
    private let id = SecretIdentifier(service: "com.example.app", account: "authToken")
}

extension SecretServiceKeyringTests {
    private func secret(_ text: String) -> Secret { Secret(text.utf8) }

    // MARK: Other programs

    @Test("secret-tool reads what we store")
    func secretToolReads() async throws {
        let desktop = try await desktops.start()
        try await desktop.keyring().write(secret("s3cret"), for: id, label: "Example")
        #expect(try await desktop.secretTool("lookup", "service", id.service, "account", id.account).output == "s3cret")
        // Found by the schema too, so keytar and others that ask for it find it.
        let search = try await desktop.secretTool(
            "search", "--all", "xdg:schema", "org.freedesktop.Secret.Generic", "service", id.service, "account", id.account
        )
        #expect(search.output.contains("label = Example\n"))
        #expect(search.output.contains("schema = org.freedesktop.Secret.Generic\n"))
    }

    @Test("We read, update in place and remove what secret-tool stored")
    func secretToolWrites() async throws {
        let desktop = try await desktops.start()
        let keyring = desktop.keyring()
        let attributes = ["service", id.service, "account", id.account]
        _ = try await desktop.secretTool(
            "store", "--label=theirs", attributes[0], attributes[1], attributes[2], attributes[3], input: "theirs"
        )
        #expect(try await keyring.read(id) == secret("theirs"))
        #expect(try await keyring.identifiers(inService: id.service) == [id])
        let paths = try await desktop.itemPaths(service: id.service, account: id.account)
        #expect(paths.count == 1)

        try await keyring.write(secret("ours"), for: id, label: "ours")
        #expect(try await desktop.itemPaths(service: id.service, account: id.account) == paths)
        #expect(try await desktop.secretTool("lookup", "service", id.service, "account", id.account).output == "ours")

        try await keyring.remove(id)
        #expect(try await desktop.itemPaths(service: id.service, account: id.account) == [])
        #expect(try await desktop.secretTool("lookup", "service", id.service, "account", id.account).status == 1)
    }

    @Test("Updating keeps the item and its label, and makes no second one")
    func updateInPlace() async throws {
        let desktop = try await desktops.start()
        let keyring = desktop.keyring()
        try await keyring.write(secret("1"), for: id, label: "first")
        let paths = try await desktop.itemPaths(service: id.service, account: id.account)
        try await keyring.write(secret("2"), for: id, label: "second")
        #expect(try await desktop.itemPaths(service: id.service, account: id.account) == paths)
        let search = try await desktop.secretTool("search", "--all", "service", id.service, "account", id.account)
        #expect(search.output.contains("label = first\n"))
    }

    @Test("An attribute that another program has added stays when the item is updated")
    func foreignAttribute() async throws {
        let desktop = try await desktops.start()
        let keyring = desktop.keyring()
        // The second one is an update, for which the item's attributes were asked.
        for text in ["1", "2"] { try await keyring.write(secret(text), for: id, label: "label") }
        let path = try #require(try await desktop.itemPaths(service: id.service, account: id.account).first)
        let attributes =
            "{'service': '\(id.service)', 'account': '\(id.account)', 'xdg:schema': 'org.freedesktop.Secret.Generic', 'note': 'theirs'}"
        let reply = try await desktop.gdbus(
            "org.freedesktop.secrets", path, "org.freedesktop.DBus.Properties.Set",
            ["org.freedesktop.Secret.Item", "Attributes", "<\(attributes)>"])
        #expect(reply != nil)
        try await keyring.write(secret("3"), for: id, label: "label")
        #expect(try await desktop.itemPaths(service: id.service, account: id.account) == [path])
        let found = try await desktop.secretTool("lookup", "service", id.service, "account", id.account, "note", "theirs")
        #expect(found.output == "3")
    }

    @Test("Of two items for one secret the newest is read and updated, and removing removes both")
    func duplicates() async throws {
        let desktop = try await desktops.start()
        let keyring = desktop.keyring()
        try await keyring.write(secret("older"), for: id, label: "older")
        // The service's times are whole seconds.
        let second = Int(Date().timeIntervalSince1970)
        try await eventually("the next second") { Int(Date().timeIntervalSince1970) > second }
        _ = try await desktop.secretTool(
            "store", "--label=newer", "service", id.service, "account", id.account, "extra", "1", input: "newer"
        )
        #expect(try await desktop.itemPaths(service: id.service, account: id.account).count == 2)
        // That there are two is noted for the log, but the lock under which that is seen is not kept.
        #expect(try await keyring.locked(for: id).read(id) == secret("newer"))
        #expect(try await keyring.locked(for: id).read(id) == secret("newer"))
        #expect(try await keyring.identifiers(inService: id.service) == [id])
        try await keyring.write(secret("newest"), for: id, label: "newest")
        #expect(try await keyring.read(id) == secret("newest"))
        let extra = try await desktop.secretTool("lookup", "service", id.service, "account", id.account, "extra", "1")
        #expect(extra.output == "newest")
        try await keyring.remove(id)
        #expect(try await desktop.itemPaths(service: id.service, account: id.account) == [])
    }

    @Test("Of two items that were changed in one second one is read and updated, and the other keeps all that it has")
    func duplicatesOfOneSecond() async throws {
        let desktop = try await desktops.start()
        let keyring = desktop.keyring()
        for round in 1...8 {  // of which gnome-keyring 42.1 would replace the wrong one in about half
            let id = SecretIdentifier(service: id.service, account: "\(round)"), other = SecretIdentifier(service: id.service, account: "other")
            try await keyring.write(secret("other"), for: other, label: "other")
            let path = try #require(try await desktop.itemPaths(service: other.service, account: other.account).first)
            try await keyring.write(secret("old"), for: id, label: "label")
            // The same secret by its attributes, and one more.
            let attributes =
                "{'service': '\(id.service)', 'account': '\(id.account)', 'extra': '1', 'xdg:schema': 'org.freedesktop.Secret.Generic'}"
            let reply = try await desktop.gdbus(
                "org.freedesktop.secrets", path, "org.freedesktop.DBus.Properties.Set",
                ["org.freedesktop.Secret.Item", "Attributes", "<\(attributes)>"])
            #expect(reply != nil)
            try await keyring.write(secret("new"), for: id, label: "label")
            #expect(try await keyring.read(id) == secret("new"), "in round \(round)")
            let extra = try await desktop.secretTool("lookup", "service", id.service, "account", id.account, "extra", "1")
            #expect(extra.status == 0, "in round \(round)")
        }
    }

    @Test("A NUL in an account is refused, not cut off")
    func nul() async throws {
        let desktop = try await desktops.start()
        let keyring = desktop.keyring()
        try await keyring.write(secret("whole"), for: SecretIdentifier(service: "s", account: "a"), label: "label")
        let cut = SecretIdentifier(service: "s", account: "a\0b")
        await #expect(throws: KeyringError.self) { try await keyring.read(cut) }
        await #expect(throws: KeyringError.self) { try await keyring.remove(cut) }
        await #expect(throws: KeyringError.self) { try await keyring.write(secret("2"), for: cut, label: "label") }
    }

    // MARK: What may be missing

    /// Expects every call but unlock() to throw `error`.
    private func expectEveryCall(
        of keyring: SecretServiceKeyring, toThrow error: KeyringError, for id: SecretIdentifier,
        _ location: SourceLocation = #_sourceLocation
    ) async {
        await #expect(throws: error, sourceLocation: location) { try await keyring.read(id) }
        await #expect(throws: error, sourceLocation: location) {
            try await keyring.write(secret("lost?"), for: id, label: "label")
        }
        await #expect(throws: error, sourceLocation: location) { try await keyring.remove(id) }
        await #expect(throws: error, sourceLocation: location) {
            try await keyring.identifiers(inService: id.service)
        }
    }

    @Test(
        "Secrets are not moved between two layouts of which one finds what the other stores, and none is lost",
        arguments: [true, false])
    func moveBetweenLayouts(toKeyringRS: Bool) async throws {
        let desktop = try await desktops.start()
        let layouts = [SecretAttributes.goKeyring, .keyringRS].map {
            SecretServiceKeyring(attributes: $0, deadline: hangLimit, busAddress: desktop.address)
        }
        let (source, destination) = toKeyringRS ? (layouts[0], layouts[1]) : (layouts[1], layouts[0])
        try await source.write(secret("kept"), for: id, label: "label")
        await #expect(throws: SecretMoveError.sameKeyring) {
            try await source.moveSecrets(inService: id.service, to: destination)
        }
        #expect(try await source.read(id) == secret("kept"))
        #expect(try await source.identifiers(inService: "stored-values-move") == [])
    }

    @Test("An update that removes a secret of another layout does not wait for the lock that it holds itself, however they are nested")
    func removalInOtherLayout() async throws {
        let desktop = try await desktops.start()
        let (folder, address) = (desktop.folder, desktop.address)
        // The lock is in the runtime folder of the environment.
        await #expect(processExitsWith: .success) { [folder = folder as String, address = address as String] in
            setenv("XDG_RUNTIME_DIR", folder, 1)
            let layouts = [SecretAttributes.generic, .pythonKeyring].map {
                SecretServiceKeyring(attributes: $0, deadline: hangLimit, busAddress: address)
            }
            let inner = FallbackKeyring([layouts[0]])
            StorageSystem.bootstrap(keyring: inner)
            for (number, first) in ([layouts[0], inner, SystemKeyring()] as [any Keyring]).enumerated() {
                let id = SecretIdentifier(service: "com.example.app", account: "\(number)")
                try await layouts[1].write(Secret("s3cret".utf8), for: id, label: "label")
                let keyring = FallbackKeyring([first, layouts[1]])
                let token = SecurelyStoredValue<String>(key: id.account, service: id.service, keyring: keyring)
                try await token.update { $0 = nil }
                let left = try await layouts[1].read(id)
                #expect(left == nil)
            }
            #expect(FileManager.default.fileExists(atPath: folder + "/stored-values"), "else there was no lock")
        }
    }

    @Test("Where the bus does not answer, there is no session bus")
    func noBus() async throws {
        let desktop = try await desktops.start(.withoutBus)
        await expectEveryCall(of: desktop.keyring(), toThrow: .noSessionBus, for: id)
        await #expect(throws: KeyringError.noSessionBus) { try await desktop.keyring().unlock() }
    }

    @Test("Where the environment names no bus, there is none; a socket in the runtime directory is one")
    func environment() async throws {
        let desktop = try await desktops.start()
        try await desktop.keyring().write(secret("s3cret"), for: id, label: "label")
        let folder = desktop.folder
        await #expect(processExitsWith: .success) { [folder = folder as String] in
            let id = SecretIdentifier(service: "com.example.app", account: "authToken")
            unsetenv("DBUS_SESSION_BUS_ADDRESS")
            unsetenv("XDG_RUNTIME_DIR")
            await #expect(throws: KeyringError.noSessionBus) { try await SecretServiceKeyring().read(id) }
            setenv("XDG_RUNTIME_DIR", "\(folder)/home", 1)
            await #expect(throws: KeyringError.noSessionBus) { try await SecretServiceKeyring().read(id) }
            setenv("XDG_RUNTIME_DIR", folder, 1)
            let found = try await SecretServiceKeyring(deadline: hangLimit).read(id)
            #expect(found == Secret("s3cret".utf8))
        }
    }

    @Test("If no program provides the Secret Service, the error says so")
    func noService() async throws {
        let desktop = try await desktops.start(.withoutService)
        await expectEveryCall(of: desktop.keyring(), toThrow: .noSecretService, for: id)
        try await desktop.startDaemon()
        #expect(try await desktop.keyring().read(id) == nil)
    }

    @Test("Without a default collection nothing is absent and nothing is written")
    func noDefaultCollection() async throws {
        let desktop = try await desktops.start(.withoutDefaultCollection)
        await expectEveryCall(of: desktop.keyring(), toThrow: .noDefaultCollection, for: id)
        await #expect(throws: KeyringError.noDefaultCollection) { try await desktop.keyring().unlock() }
    }

    @Test("A locked keyring is locked, for a secret that exists and for one that does not, and loses nothing")
    func locked() async throws {
        let desktop = try await desktops.start()
        let keyring = desktop.keyring()
        try await keyring.write(secret("kept"), for: id, label: "label")
        try await desktop.lock()
        let absent = SecretIdentifier(service: "com.example.other", account: "nothing")
        await expectEveryCall(of: keyring, toThrow: .locked, for: id)
        await expectEveryCall(of: keyring, toThrow: .locked, for: absent)

        // As after the next login: first locked on the disk, then opened by the password.
        try await desktop.killDaemon()
        try await desktop.startDaemon(open: false)
        await expectEveryCall(of: keyring, toThrow: .locked, for: id)
        await expectEveryCall(of: keyring, toThrow: .locked, for: absent)
        try await desktop.killDaemon()
        try await desktop.startDaemon()
        #expect(try await keyring.read(id) == secret("kept"))
        #expect(try await keyring.read(absent) == nil)
    }

    @Test("Without a display unlock() shows no prompt, and with one a prompt that cannot be shown is dismissed")
    func unlock() async throws {
        let desktop = try await desktops.start(.locked)
        let address = desktop.address
        await #expect(processExitsWith: .success) { [address = address as String] in
            let keyring = SecretServiceKeyring(deadline: hangLimit, busAddress: address)
            unsetenv("DISPLAY")
            unsetenv("WAYLAND_DISPLAY")
            await #expect(throws: KeyringError.locked) { try await keyring.unlock() }
            setenv("DISPLAY", ":stored-values-has-no-screen", 1)  // and no prompter is on the bus
            await #expect(throws: KeyringError.dismissed) { try await keyring.unlock() }
            let id = SecretIdentifier(service: "com.example.app", account: "authToken")
            await #expect(throws: KeyringError.locked) { try await keyring.read(id) }
        }
    }

    // MARK: Time

    @Test("A daemon that hangs costs the deadline and no more, and works when it continues")
    func hanging() async throws {
        let desktop = try await desktops.start()
        let limit = Duration.milliseconds(500)
        let patient = desktop.keyring()
        let hasty = desktop.keyring(deadline: limit)
        try await patient.write(secret("before"), for: id, label: "label")

        desktop.signalDaemon(SIGSTOP)
        let time = await elapsed { await expectEveryCall(of: hasty, toThrow: .timedOut(after: limit), for: id) }
        #expect(time >= limit * 4, "\(time) for four calls of \(limit)")
        desktop.signalDaemon(SIGCONT)

        try await patient.write(secret("after"), for: id, label: "label")
        #expect(try await patient.read(id) == secret("after"))
    }

    @Test("Waiting behind a call that hangs counts too")
    func queued() async throws {
        let desktop = try await desktops.start()
        let (first, second) = (desktop.keyring(deadline: .seconds(3600)), desktop.keyring(deadline: .milliseconds(300)))
        #expect(try await desktop.keyring().read(id) == nil)
        desktop.signalDaemon(SIGSTOP)
        defer { desktop.signalDaemon(SIGCONT) }
        let id = id
        let executor = QueueExecutor()
        let stuck = Task(executorPreference: executor) { try await first.read(id) }
        await executor.allWaiting()
        await #expect(throws: KeyringError.timedOut(after: .milliseconds(300))) { try await second.read(id) }
        stuck.cancel()
        await #expect(throws: KeyringError.cancelled) { try await stuck.value }
    }

    @Test("A hung call delays no other call after it has timed out")
    func afterTimeout() async throws {
        let (hung, well) = (try await desktops.start(), try await desktops.start())
        #expect(try await hung.keyring().read(id) == nil)
        hung.signalDaemon(SIGSTOP)
        defer { hung.signalDaemon(SIGCONT) }
        let limit = Duration.milliseconds(300)
        await #expect(throws: KeyringError.timedOut(after: limit)) { try await hung.keyring(deadline: limit).read(id) }
        #expect(try await well.keyring().read(id) == nil)
    }

    // MARK: Coming back

    @Test("After the daemon was replaced the next call works")
    func daemonRestart() async throws {
        let desktop = try await desktops.start()
        let keyring = desktop.keyring()
        try await keyring.write(secret("kept"), for: id, label: "label")
        try await desktop.killDaemon()
        try await desktop.startDaemon()
        #expect(try await keyring.read(id) == secret("kept"))

        try await desktop.killDaemon()
        await expectEveryCall(of: keyring, toThrow: .noSecretService, for: id)
        try await desktop.startDaemon()
        try await keyring.write(secret("changed"), for: id, label: "label")
        #expect(try await keyring.read(id) == secret("changed"))

        try await desktop.killDaemon()
        try await desktop.startDaemon()
        try await keyring.remove(id)
        #expect(try await keyring.read(id) == nil)
    }

    @Test("When the bus dies this process lives, and the next bus works")
    func busRestart() async throws {
        let desktop = try await desktops.start()
        let keyring = desktop.keyring()
        try await keyring.write(secret("kept"), for: id, label: "label")
        try await desktop.killBus()
        await expectEveryCall(of: keyring, toThrow: .noSessionBus, for: id)
        try await desktop.killDaemon()  // gnome-keyring ends with its bus anyway
        try await desktop.startBus()
        try await desktop.startDaemon()
        #expect(try await keyring.read(id) == secret("kept"))
    }

    @Test("Keyrings on one bus are equal, and hear of each other's changes")
    func shared() async throws {
        let desktop = try await desktops.start()
        #expect(desktop.keyring() == desktop.keyring())
        var changes = desktop.keyring().changes.makeAsyncIterator()
        try await desktop.keyring(deadline: hangLimit).write(secret("1"), for: id, label: "label")
        while let change = await changes.next(), change != .secret(id) {}
    }
}

@Suite("SecretServiceKeyring as a value")
struct SecretServiceKeyringValueTests {}

extension SecretServiceKeyringValueTests {
    @Test("Keyrings that keep secrets in one place are equal, however long they wait for it")
    func equality() {
        let keyring = SecretServiceKeyring(deadline: .seconds(5))
        let patient = SecretServiceKeyring(deadline: .seconds(6))
        #expect(keyring == patient && keyring.hashValue == patient.hashValue)
        #expect(keyring != SecretServiceKeyring(busAddress: "unix:path=/nowhere"))
    }
}

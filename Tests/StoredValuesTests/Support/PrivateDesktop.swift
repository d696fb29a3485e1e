import Foundation
import StoredValuesSupport
import Testing

/// A session bus and a real keyring program of a test's own, in a folder of their own. They touch nothing of the user's.
///
/// A guard, a shell that waits for the end of its input, kills them and removes the folder when this object goes, and also
/// when the test process is killed. (`PR_SET_PDEATHSIG` would not do: it is tied to the thread that started the child, and
/// cleared for programs with capabilities, which gnome-keyring has.)
final class PrivateDesktop: Sendable {
    let folder: String
    let program: KeyringProgram
    /// The D-Bus address of the bus, which stays the same when it is killed and started again.
    var address: String { "unix:path=\(folder)/bus" }

    private struct Children {
        var bus: Process?
        var daemon: Process?
    }

    private let children = Guarded(Children())
    private let lifeline: FileHandle

    /// What opens the keyring.
    static let password = "password"

    /// What runs at first.
    enum State {
        /// The bus and the keyring, unlocked.
        case open
        /// The bus and the keyring, with a default collection, locked.
        case locked
        /// The bus and gnome-keyring, as on a machine where nobody ever logged in: without a default collection.
        case withoutDefaultCollection
        /// The bus alone.
        case withoutService
        /// Nothing.
        case withoutBus
    }

    init(_ state: State = .open, _ program: KeyringProgram = .gnomeKeyring) async throws {
        self.program = program
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("desktop-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: "\(folder)/home", withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder)
        let guardian = Process()
        guardian.executableURL = URL(fileURLWithPath: "/bin/sh")
        guardian.arguments = [
            "-c", #"while read -r pid; do pids="$pids $pid"; done; kill -KILL $pids; rm -rf "$0""#, folder,
        ]
        guardian.standardOutput = FileHandle.nullDevice
        guardian.standardError = FileHandle.nullDevice
        let pipe = Pipe.forOneChild()
        lifeline = pipe.fileHandleForWriting
        guardian.standardInput = pipe
        try guardian.runAlone()

        guard state != .withoutBus else { return }
        try await startBus()
        switch state {
        case .withoutBus, .withoutService: break
        case .open: try await startDaemon()
        case .withoutDefaultCollection: try await startDaemon(open: false)
        case .locked:
            try await startDaemon()
            try await lock()
        }
    }

    deinit {
        try? lifeline.close()
    }

    // MARK: What is missing

    /// Whether gnome-keyring is there, or must be: most tests need it.
    static let isAvailable = KeyringProgram.gnomeKeyring.isAvailable

    /// What a skipped test says.
    static let skipReason = KeyringProgram.gnomeKeyring.skipReason

    static func program(_ name: String) throws -> Program {
        guard let program = Program(named: name) else { throw Missing(program: name) }
        return program
    }

    private struct Missing: Error {
        let program: String
    }

    // MARK: The bus

    /// Starts the bus; with `denying` it lets nobody speak with the Secret Service.
    func startBus(denying: Bool = false) async throws {
        let denial = #"<deny send_interface="org.freedesktop.Secret.Service"/>"#
        let configuration = """
            <busconfig><type>session</type><listen>\(address)</listen><auth>EXTERNAL</auth>
            <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/>
            \(denying ? denial : "")</policy>
            </busconfig>
            """
        try configuration.write(toFile: "\(folder)/bus.conf", atomically: true, encoding: .utf8)
        try? FileManager.default.removeItem(atPath: "\(folder)/bus")
        let bus = try await Self.program("dbus-daemon")
            .start(["--config-file=\(folder)/bus.conf", "--nofork"], environment: environment)
        try watch(bus)
        children.withLock { $0.bus = bus }
        try await eventually("the bus answers") { try await busCall("GetId") != nil }
    }

    func killBus() async throws {
        guard let bus = children.withLock({ $0.bus.take() }) else { return }
        try await end(bus)
    }

    // MARK: The keyring

    /// Starts the keyring; open, or as it was left on the disk.
    func startDaemon(open: Bool = true) async throws {
        let daemon =
            switch program {
            case .gnomeKeyring: try await startGnomeKeyring(password: open ? Self.password : nil)
            case .kwallet: try await startKWallet(open: open)
            case .keePassXC: try await startKeePassXC()
            }
        try watch(daemon)
        children.withLock { $0.daemon = daemon }
        try await eventually("the keyring is on the bus") {
            try requireRunning()
            return try await busCall("NameHasOwner", "org.freedesktop.secrets")?.contains("true") == true
        }
        guard open else { return }
        try await eventually("there is an open collection") { try await isLocked() == false }
    }

    /// Ends the keyring when all is saved. KWallet and KeePassXC save when they lock, and lose what they were told last when
    /// they are killed before.
    func quitDaemon() async throws {
        if program != .gnomeKeyring { try await lock() }
        try await killDaemon()
    }

    func killDaemon() async throws {
        guard let daemon = children.withLock({ $0.daemon.take() }) else { return }
        try await end(daemon)
    }

    /// Stops the daemon where it is, as a debugger would, or lets it go on.
    func signalDaemon(_ signal: Int32) {
        children.withLock { children in
            guard let daemon = children.daemon else { return }
            kill(daemon.processIdentifier, signal)
        }
    }

    /// Locks the keyring as its own program does.
    func lock() async throws {
        guard program == .keePassXC else {
            _ = try await call("Service.Lock", at: "", "['\(program.collection)']")
            return try await eventually("the keyring is locked") {
                try requireRunning()
                return try await isLocked() == true
            }
        }
        try await eventually("KeePassXC is locked") {
            try requireRunning()
            try await closeDatabase()
            return try await isLocked() == true
        }
    }

    /// The keyring ended when nobody told it to.
    struct EndedItself: Error {
        let program: KeyringProgram
    }

    private func requireRunning() throws {
        guard children.withLock({ $0.daemon })?.isRunning == true else { throw EndedItself(program: program) }
    }

    /// Unlocks the keyring as the login does: no question is asked.
    func unlock() async throws {
        switch program {
        case .gnomeKeyring: try await unlockGnomeKeyring()
        case .kwallet: try await openWallet()
        case .keePassXC: try await openDatabase()
        }
        try await eventually("the keyring is open") { try await isLocked() == false }
    }

    /// How many programs are connected to the bus, the one that asks included.
    func connectionCount() async throws -> Int {
        let names = try #require(try await busCall("ListNames"))
        return names.split(separator: "'").filter { $0.hasPrefix(":") }.count
    }

    /// The paths of the items with these attributes, locked or not.
    func itemPaths(service: String, account: String) async throws -> [String] {
        let attributes = "{'service': '\(service)', 'account': '\(account)'}"
        let reply = try #require(try await call("Service.SearchItems", at: "", attributes))
        return reply.split(separator: "'").filter { $0.hasPrefix("/org/") }.map(String.init).sorted()
    }

    @discardableResult
    func secretTool(_ arguments: String..., input: String = "") async throws -> (status: Int32, output: String) {
        try await secretTool(arguments, input: input)
    }

    @discardableResult
    func secretTool(_ arguments: [String], input: String = "") async throws -> (status: Int32, output: String) {
        try await Self.program("secret-tool").run(arguments, environment: environment, input: input)
    }

    /// Runs a script of the shell, with the bus and the home of this desktop.
    @discardableResult
    func shell(_ script: String, input: String = "") async throws -> (status: Int32, output: String) {
        try await Self.program("sh").run(["-c", script], environment: environment, input: input, errors: .standardError)
    }

    private func isLocked() async throws -> Bool? {
        if program == .kwallet {  // which calls a wallet locked until it is used
            let isOpen = try await gdbus(
                "org.kde.kwalletd5", "/modules/kwalletd5", "org.kde.KWallet.isOpen", ["kdewallet"])
            guard try await call("Service.ReadAlias", at: "", "default")?.contains("collection") == true else { return nil }
            return isOpen.map { $0.contains("false") }
        }
        // `gdbus` asks for the interface first. A property alone may end gnome-keyring (Programs/forgetful_service.py).
        let arguments = ["org.freedesktop.Secret.Collection", "Locked"]
        let reply = try await gdbus(
            "org.freedesktop.secrets", program.collection, "org.freedesktop.DBus.Properties.Get", arguments)
        return reply.map { $0.contains("true") }
    }

    private func call(_ method: String, at path: String, _ arguments: String...) async throws -> String? {
        try await gdbus(
            "org.freedesktop.secrets", "/org/freedesktop/secrets\(path)", "org.freedesktop.Secret.\(method)", arguments
        )
    }

    func busCall(_ method: String, _ arguments: String...) async throws -> String? {
        try await gdbus("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.\(method)", arguments)
    }

    func gdbus(_ name: String, _ path: String, _ method: String, _ arguments: [String]) async throws -> String? {
        let (status, output) = try await Self.program("gdbus").run(
            ["call", "--session", "--timeout=600", "--dest=\(name)", "--object-path=\(path)", "--method=\(method)"] + arguments,
            environment: environment
        )
        return status == 0 ? output : nil
    }

    // MARK: Children

    var environment: [String: String] {
        [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "HOME": "\(folder)/home",
            "XDG_RUNTIME_DIR": folder, "DBUS_SESSION_BUS_ADDRESS": address, "LC_ALL": "C.UTF-8",
            // KeePassXC and KWallet: no screen, and no lock shared with those of other desktops.
            "QT_QPA_PLATFORM": "offscreen", "TMPDIR": folder,
        ]
    }

    /// Has the guard end `child` too.
    func watch(_ child: Process) throws { try watch(child.processIdentifier) }

    /// The same for a process by its number.
    func watch(_ number: Int32) throws { try lifeline.write(contentsOf: Data("\(number)\n".utf8)) }

    func end(_ child: Process) async throws {
        kill(child.processIdentifier, SIGKILL)
        try await eventually("process \(child.processIdentifier) has ended") { !child.isRunning }
    }
}

/// The desktops of one test, which run until the test ends: a local variable may go after its last use, and the daemons
/// with it.
final class PrivateDesktops: Sendable {
    private let desktops = Guarded<[PrivateDesktop]>([])

    /// A new desktop in this state.
    func start(
        _ state: PrivateDesktop.State = .open, _ program: KeyringProgram = .gnomeKeyring
    ) async throws -> PrivateDesktop {
        let desktop = try await PrivateDesktop(state, program)
        desktops.withLock { $0.append(desktop) }
        return desktop
    }
}

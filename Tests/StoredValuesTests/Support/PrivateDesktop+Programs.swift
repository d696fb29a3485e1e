import Foundation
import Testing

/// A program that provides the Secret Service, and how tests start and handle it.
enum KeyringProgram: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case gnomeKeyring = "gnome-keyring"
    case kwallet = "KWallet"
    case keePassXC = "KeePassXC"

    var testDescription: String { rawValue }

    /// The path of the collection that tests use.
    var collection: String {
        let name =
            switch self {
            case .gnomeKeyring: "login"
            case .kwallet: "kdewallet"
            case .keePassXC: "passwords"
            }
        return "/org/freedesktop/secrets/collection/\(name)"
    }

    private var programs: [String] {
        switch self {
        case .gnomeKeyring: ["gnome-keyring-daemon"]
        case .kwallet: ["kwalletd5"]
        case .keePassXC: ["keepassxc", "keepassxc-cli"]
        }
    }

    private var missing: [String] {
        (["dbus-daemon", "secret-tool", "gdbus"] + programs).filter { Program(named: $0) == nil }
    }

    /// False where a program is missing and this is not continuous integration: there it is a failure.
    var isAvailable: Bool { missing.isEmpty || ProcessInfo.processInfo.environment["CI"] == "true" }

    /// What a skipped test says.
    var skipReason: String { "not installed: \(missing.joined(separator: ", "))" }
}

extension PrivateDesktop {
    /// Where gnome-keyring keeps its collections.
    var keyrings: String { "\(folder)/home/.local/share/keyrings" }

    /// Starts gnome-keyring, unlocked by `password`, or as it was left on the disk without one.
    func startGnomeKeyring(password: String?) async throws -> Process {
        try await Self.program("gnome-keyring-daemon").start(
            (password == nil ? [] : ["--unlock"]) + ["--components=secrets", "--foreground"], environment: environment,
            input: password ?? ""
        )
    }

    /// Unlocks the running gnome-keyring as the login does, through its own socket: no question is asked.
    func unlockGnomeKeyring() async throws {
        let reply = try await LoginSocket.unlock(at: "\(folder)/keyring/control", password: Self.password)
        guard reply == 0 else { throw NotUnlocked() }
    }

    struct NotUnlocked: Error {}
}

extension PrivateDesktop {
    private var walletSettings: String {
        """
        [Wallet]
        Enabled=true
        First Use=false
        Default Wallet=kdewallet
        Close When Idle=false
        Prompt on Open=false
        [org.freedesktop.secrets]
        apiEnabled=true
        """
    }

    /// Starts KWallet; with an open wallet, or as it was left on the disk.
    func startKWallet(open: Bool) async throws -> Process {
        let home = "\(folder)/home"
        if !FileManager.default.fileExists(atPath: "\(home)/.config/kwalletrc") {
            for path in ["\(home)/.config", "\(home)/.local/share/kwalletd"] {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            }
            try walletSettings.write(toFile: "\(home)/.config/kwalletrc", atomically: true, encoding: .utf8)
            // The first one makes the wallet, and shows it as a collection to nobody.
            let first = try await launchKWallet()
            try await openWallet()
            try await eventually("there is a wallet") {
                FileManager.default.fileExists(atPath: "\(home)/.local/share/kwalletd/kdewallet.kwl")
            }
            try await end(first)
        }
        let daemon = try await launchKWallet()
        if open { try await openWallet() }
        return daemon
    }

    /// Opens the wallet as the login does: no question is asked.
    func openWallet() async throws {
        let hash = "[" + Array(repeating: "0x41", count: 56).joined(separator: ", ") + "]"
        _ = try await gdbus(
            "org.kde.kwalletd5", "/modules/kwalletd5", "org.kde.KWallet.pamOpen", ["kdewallet", "@ay \(hash)", "0"])
        try await eventually("the wallet is open") {
            try await gdbus("org.kde.kwalletd5", "/modules/kwalletd5", "org.kde.KWallet.isOpen", ["kdewallet"])?
                .contains("true") == true
        }
    }

    private func launchKWallet() async throws -> Process {
        let daemon = try await Self.program("kwalletd5").start([], environment: environment)
        try watch(daemon)
        try await eventually("KWallet is on the bus") {
            try await busCall("NameHasOwner", "org.freedesktop.secrets")?.contains("true") == true
        }
        return daemon
    }
}

extension PrivateDesktop {
    private var database: String { "\(folder)/home/passwords.kdbx" }

    /// A group "Secrets" that is shown to other programs. What the person may be asked is turned off.
    private var emptyDatabase: String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <KeePassFile>
            <Meta><CustomData><Item>
                <Key>FDO_SECRETS_EXPOSED_GROUP</Key><Value>{95144f0a-2ea0-4425-a2ef-110eaafee380}</Value>
            </Item></CustomData></Meta>
            <Root><Group>
                <UUID>95AqIutwQ/uhvX+QEOeWug==</UUID><Name>Root</Name>
                <Group><UUID>lRRPCi6gRCWi7xEOqv7jgA==</UUID><Name>Secrets</Name></Group>
            </Group></Root>
        </KeePassFile>
        """
    }

    /// It saves when it locks: saving in the background, its default, KeePassXC 2.7.4 now and then ends itself when an item
    /// changes meanwhile (seen: a segmentation fault on a pooled thread, with many writers at once).
    private var settings: String {
        """
        [General]
        ConfigVersion=2
        AutoSaveAfterEveryChange=false
        AutoSaveOnExit=true
        [FdoSecrets]
        Enabled=true
        ShowNotification=false
        ConfirmDeleteItem=false
        ConfirmAccessItem=false
        UnlockBeforeSearch=false
        """
    }

    /// Starts KeePassXC with an open database.
    func startKeePassXC() async throws -> Process {
        let home = "\(folder)/home"
        if !FileManager.default.fileExists(atPath: database) {
            try FileManager.default.createDirectory(atPath: "\(home)/.config/keepassxc", withIntermediateDirectories: true)
            try settings.write(toFile: "\(home)/.config/keepassxc/keepassxc.ini", atomically: true, encoding: .utf8)
            try emptyDatabase.write(toFile: "\(home)/empty.xml", atomically: true, encoding: .utf8)
            let (status, _) = try await Self.program("keepassxc-cli").run(
                ["import", "--set-password", "\(home)/empty.xml", database], environment: environment,
                input: "\(Self.password)\n\(Self.password)\n")
            guard status == 0 else { throw NoDatabase() }
        }
        return try await Self.program("keepassxc").start(
            ["--pw-stdin", database], environment: environment, input: "\(Self.password)\n")
    }

    private struct NoDatabase: Error {}

    /// What KeePassXC does by default, and not on this desktop.
    enum KeePassXCDefault: String {
        /// It asks whenever a program wants an item that another one made.
        case confirmAccessItem = "ConfirmAccessItem"
        /// It opens a dialog at a search while all is locked, and answers when that is closed.
        case unlockBeforeSearch = "UnlockBeforeSearch"
    }

    /// Has KeePassXC do so from its next start on.
    func restore(_ setting: KeePassXCDefault) throws {
        let path = "\(folder)/home/.config/keepassxc/keepassxc.ini"
        let settings = try String(contentsOfFile: path, encoding: .utf8)
        try settings.replacingOccurrences(of: "\(setting.rawValue)=false", with: "\(setting.rawValue)=true")
            .write(toFile: path, atomically: true, encoding: .utf8)
    }

    /// Runs KeePassXC's command on the database, which must be closed, and returns what it prints.
    func keePassXC(_ command: String, _ arguments: String..., input: String = "") async throws -> String {
        let (status, output) = try await Self.program("keepassxc-cli").run(
            [command, "--quiet", database] + arguments, environment: environment, input: "\(Self.password)\n\(input)")
        guard status == 0 else { throw NoDatabase() }
        return output
    }

    /// Unlocks the database past the Secret Service.
    func openDatabase() async throws {
        _ = try await gdbus(
            "org.keepassxc.KeePassXC.MainWindow", "/keepassxc", "org.keepassxc.KeePassXC.MainWindow.openDatabase",
            [database, Self.password])
    }

    /// Locks the database past the Secret Service.
    func closeDatabase() async throws {
        _ = try await gdbus(
            "org.keepassxc.KeePassXC.MainWindow", "/keepassxc", "org.keepassxc.KeePassXC.MainWindow.lockAllDatabases", [])
    }
}

/// The socket by which the login hands its password to gnome-keyring.
enum LoginSocket {
    /// Asks the keyring behind the socket at `path` to unlock with `password`, and returns its answer; 0 is "done".
    static func unlock(at path: String, password: String) async throws -> UInt32 {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try converse(at: path, password: password) })
            }
        }
    }

    private static func converse(at path: String, password: String) throws -> UInt32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw POSIXError(.EIO) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let status = withUnsafeBytes(of: address) {
            connect(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
        guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

        // A byte that carries the credentials, then the length of all, "unlock", and the password with its length.
        let unlock: UInt32 = 1
        let message = bytes(UInt32(12 + password.utf8.count)) + bytes(unlock) + bytes(UInt32(password.utf8.count))
        try handle.write(contentsOf: [0] + message + Data(password.utf8))
        let reply = try handle.read(upToCount: 8) ?? Data()
        guard reply.count == 8 else { throw POSIXError(.EPROTO) }
        return reply.suffix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func bytes(_ number: UInt32) -> Data {
        withUnsafeBytes(of: number.bigEndian) { Data($0) }
    }
}

import Foundation

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

    /// Has KeePassXC ask whenever a program wants an item that another one made, as is its default. For the next start.
    func confirmAccess() throws {
        let path = "\(folder)/home/.config/keepassxc/keepassxc.ini"
        let settings = try String(contentsOfFile: path, encoding: .utf8)
        try settings.replacingOccurrences(of: "ConfirmAccessItem=false", with: "ConfirmAccessItem=true")
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

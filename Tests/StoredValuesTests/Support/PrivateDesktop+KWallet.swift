import Foundation

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

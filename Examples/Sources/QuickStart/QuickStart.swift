import ArgumentParser
import StoredValues

/// Run it twice: the second run shows what the first one left.
@main
struct QuickStart: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Keep a theme and a count of launches in a file, and a token in a keyring. Run it twice.")

    @Option(help: "Store this theme: light, dark or system.")
    var theme: Theme?

    @Flag(help: "Ask for a token and store it. Otherwise the first run stores a made-up one.")
    var login = false

    @Option(help: "Where the token is kept: system (the desktop's keyring) or file (an encrypted file).")
    var keyring = KeyringChoice.system

    @Flag(help: "Remove what earlier runs stored.")
    var forget = false

    func run() async throws {
        // Names the folder and the secrets, and the keyring unless it is the system's.
        StorageSystem.bootstrap(applicationID: applicationID, keyring: keyring.keyring)
        let settings = Settings()
        let account = Account()

        print("Settings, in \(PreferencesFile.standard.path):")
        try await (forget ? forgetSettings() : keep(settings))

        print("Secret, in \(SystemKeyring()):")
        print("  why there: \(keyring.reason)")
        do throws(SecretError) {
            try await (forget ? forgetToken : keep)(account)
        } catch {
            // Unavailable is not absent: nothing was read, and nothing is stored in its place.
            print("  token: no answer. \(error)")
            if keyring == .system { print("  With --keyring file, QuickStart keeps the token in an encrypted file.") }
            throw ExitCode.failure
        }
    }

    private func keep(_ settings: Settings) async throws {
        let before = settings.launches
        settings.$launches.update { $0 += 1 }  // one step, even if two of these programs run at once
        print("  launches: \(before) before, \(settings.launches) now")

        for await current in settings.$theme.values {  // the theme now, then every change
            print("  theme: \(current)\(settings.$theme.isStored ? "" : " (the default; none is stored)")")
            guard let theme, theme != current else { break }
            settings.$theme.set(theme)  // the loop's next value
        }
        try await settings.$launches.flush()  // what was set is in the file; now it also survives a power cut
    }

    private func keep(_ account: Account) async throws(SecretError) {
        let found = try await account.$token.load()  // the token, nil when there is none, or a SecretError
        if let found {
            print("  token: found the one that an earlier run stored (\(found.count) characters, not shown)")
        } else {
            print("  token: none is stored")
        }
        guard login || found == nil else { return }
        guard let token = login ? askForToken() : madeUpToken() else { return print("  token: none given, nothing changed") }
        try await account.$token.set(token)
        print("  token: stored \(login ? "yours" : "a made-up one") (\(token.count) characters, not shown)")
    }

    private func forgetSettings() async throws {
        PreferencesFile.standard.resetAll()
        try await PreferencesFile.standard.flush()
        print("  removed launches and theme")
    }

    private func forgetToken(_ account: Account) async throws(SecretError) {
        try await account.$token.reset()
        print("  removed the token")
    }
}

extension Theme: ExpressibleByArgument {}

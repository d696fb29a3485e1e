import ArgumentParser
import StoredValues
import StoredValuesToolSupport

struct ResetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Remove a setting, so that its default is used again.",
        discussion: """
            The default is the fleet's value, the system-wide one, or the one in the program. Resetting a setting that is not \
            stored succeeds. With --all, you are asked first on a terminal, unless --yes is given.
            """)

    @Argument(help: "The setting.") var key: KeyArgument?
    @OptionGroup var settings: SettingsOptions
    @Flag(help: "Remove all settings of the file.") var all = false
    @Flag(help: "Do not ask for confirmation of --all.") var yes = false

    func validate() throws {
        guard (key != nil) != all else { throw ValidationError("Give either the setting or --all.") }
        guard all || !yes else { throw ValidationError("--yes requires --all: a single setting is removed without confirmation.") }
    }

    func run() async throws {
        guard let key = try key?.checked() else { return try await removeAll() }
        let storage = try settings.soundStorage()
        storage.reset(key)
        try await storage.flush()
    }

    private func removeAll() async throws {
        let storage = try settings.soundStorage()
        let keys = storage.keys
        guard !keys.isEmpty else { return Output.error.line("Nothing is stored.") }
        if !yes { try Question.confirm("This removes from \"\(storage.path)\": \(keys.joined(separator: ", ")).", orElse: "Nothing was removed.") }
        // As one change, so that exactly these are removed, whatever is written meanwhile.
        let removed = storage.batch {
            let keys = storage.keys
            storage.resetAll()
            return keys
        }
        try await storage.flush()
        Output.error.line("Removed: \(Output.error.oneLine(removed.joined(separator: ", ")))")
    }
}

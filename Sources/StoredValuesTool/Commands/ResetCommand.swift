import ArgumentParser
import StoredValues

struct ResetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Remove what is stored, so that the default shows again.",
        discussion: """
            That is the system-wide default, or the one in the program. Resetting what is not stored succeeds. With --all \
            you are asked first at a terminal, unless --yes is given.
            """)

    @Argument(help: "The setting.") var key: KeyArgument?
    @OptionGroup var settings: SettingsOptions
    @Flag(help: "Remove all settings of the file.") var all = false
    @Flag(help: "Do not ask whether to remove them all.") var yes = false

    func validate() throws {
        guard (key != nil) != all else { throw ValidationError("Give either the setting or --all.") }
        guard all || !yes else { throw ValidationError("--yes belongs to --all: one setting is removed without a question.") }
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
        if !yes { try Question.confirmRemoval("This removes from \"\(storage.path)\": \(keys.joined(separator: ", ")).") }
        // As one change, so that it is these that are removed, whoever writes meanwhile.
        let removed = storage.batch {
            let keys = storage.keys
            storage.resetAll()
            return keys
        }
        try await storage.flush()
        Output.error.line("Removed: \(Output.error.oneLine(removed.joined(separator: ", ")))")
    }
}

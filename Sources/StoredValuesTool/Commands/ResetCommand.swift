import ArgumentParser
import StoredValues

struct ResetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Remove what is stored, so that the default shows again.",
        discussion: "That is the system-wide default, or the one in the program. Resetting what is not stored succeeds.")

    @Argument(help: "The setting.") var key: KeyArgument
    @OptionGroup var settings: SettingsOptions

    func run() async throws {
        let key = try key.checked()
        let storage = try settings.soundStorage()
        storage.reset(key)
        try await storage.flush()
    }
}

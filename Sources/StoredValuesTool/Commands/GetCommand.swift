import ArgumentParser
import StoredValues
import StoredValuesToolSupport

struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Print the value of a setting.",
        discussion: "A string is printed without quotes, any other value as JSON. The exit status is 1 if nothing is stored.")

    @Argument(help: "The setting.") var key: KeyArgument
    @OptionGroup var settings: SettingsOptions
    @Flag(help: "Print strings as JSON too, in quotes.") var json = false

    func run() async throws {
        let key = try key.checked()
        let storage = try settings.soundStorage()
        guard let value = try value(of: key, in: storage) else {
            throw Failure(.absent, "Nothing is stored under \"\(key)\" in \"\(storage.path)\": programs use their default.")
        }
        Output.standard.value(value, asJSON: json)
    }

    private func value(of key: String, in storage: PreferencesFile) throws -> JSONValue? {
        do {
            return try storage.snapshot.value(of: key)
        } catch {
            throw Failure(.badData, "\"\(key)\" in \"\(storage.path)\" cannot be read, so programs use their default: \(error). Correct the file, or set the value again.")
        }
    }
}

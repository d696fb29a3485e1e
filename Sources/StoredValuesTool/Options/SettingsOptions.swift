import ArgumentParser
import StoredValues
import StoredValuesToolSupport

/// The file that a command is about.
struct SettingsOptions: ParsableArguments {
    @OptionGroup var application: ApplicationOptions

    @Option(help: "Use the settings file at this path, without those of a fleet or system-wide defaults.", completion: .file(extensions: ["json"]))
    var file: String?

    func validate() throws {
        guard file == nil || application.app == nil else {
            throw ValidationError("Give either --app or --file, not both.")
        }
        guard file != "" else { throw ValidationError("The path of --file must not be empty.") }
    }

    /// The file, not checked yet.
    func storage() throws -> PreferencesFile {
        if let file { return PreferencesFile(path: file) }
        try application.bootstrap()
        return .standard
    }

    /// The file, if it is whole or missing: a script must not read older values in place of a broken file's, nor overwrite a
    /// file that the user still has to correct.
    func soundStorage() throws -> PreferencesFile {
        let storage = try storage()
        guard let inspection = try storage.inspect().first else { return storage }
        switch inspection.content {
        case .missing, .keys: return storage
        case .unreadable(let sentence): throw Failure(.notSaved, sentence)
        case .broken(let why):
            throw Failure(
                .badData,
                "The settings \"\(inspection.path)\" are not JSON: \(why). Correct the file in an editor; \"stored-values edit\" opens it.")
        }
    }
}

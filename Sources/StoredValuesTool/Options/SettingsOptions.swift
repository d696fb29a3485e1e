import ArgumentParser
import StoredValues

/// Which file a command is about.
struct SettingsOptions: ParsableArguments {
    @OptionGroup var application: ApplicationOptions

    @Option(help: "Use the file of settings at this path, with no system-wide defaults below it.", completion: .file(extensions: ["json"]))
    var file: String?

    func validate() throws {
        guard file == nil || application.app == nil else {
            throw ValidationError("Give either --app or --file: a file at a path belongs to no program.")
        }
        guard file != "" else { throw ValidationError("The path of --file must not be empty.") }
    }

    /// The file, which is not looked at yet.
    func storage() throws -> PreferencesFile {
        if let file { return PreferencesFile(path: file) }
        try application.bootstrap()
        return .standard
    }

    /// The file, if it can be read as a whole or is not there: a script must not take older values for those in the file, nor
    /// write over what a person is about to correct.
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

import ArgumentParser
import FoundationEssentials
import StoredValues
import StoredValuesSupport
import StoredValuesToolSupport

struct EditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Edit the whole file in $VISUAL or $EDITOR.",
        discussion: """
            You edit a copy, which is checked before anything is replaced. If the program has published its keys, the copy names \
            their schema, so that the editor knows them. Only the keys that you changed are \
            written; changes made elsewhere meanwhile are kept. If a key was changed in both places, or the copy is not JSON, \
            you are asked what to do. Without a terminal, nothing is changed and the copy is kept.
            """)

    @OptionGroup var settings: SettingsOptions

    func run() async throws {
        let storage = try settings.storage()
        let edit = try storage.beginEdit(schema: storage.pathOfPublishedSchema)
        let copy = try EditedCopy(of: edit.text, named: storage.path)
        try copy.openInEditor()
        var isOverwriting = false
        while true {
            switch edit.commit(try copy.read(), overwriting: isOverwriting) {
            case .nothingChanged:
                copy.remove()
                return Output.error.line("Nothing was changed.")
            case .changed(let keys):
                do {
                    try await storage.flush()
                } catch {
                    throw Failure(error).map { Failure($0.status, "\($0.sentence) \(copy.whereabouts)") } ?? error
                }
                copy.remove()
                guard !keys.isEmpty else { return Output.error.line("The file was corrected. No value was changed.") }
                return Output.error.line("Changed: \(Output.error.oneLine(keys.joined(separator: ", ")))")
            case .notJSON(let why):
                let sentence = "The edited text is not JSON: \(why)."
                switch Question.ask(sentence, ["edit again", "quit"]) {
                case "e": try copy.openInEditor()
                default: throw Failure(.badData, "\(sentence) Nothing was changed. \(copy.whereabouts)")
                }
            case .conflict(let keys):
                let names = keys.map { "\"\($0)\"" }.joined(separator: ", ")
                let sentence = "Another program changed \(names) since the editor was opened."
                switch Question.ask(sentence, ["edit again", "overwrite theirs", "quit"]) {
                case "e": try copy.openInEditor()
                case "o": isOverwriting = true
                default: throw Failure(.tryAgain, "\(sentence) Nothing was changed. \(copy.whereabouts)")
                }
            }
        }
    }
}

/// The text that the user edits, in a file that no other user can read.
struct EditedCopy {
    private let folder: String
    private let path: String
    private let original: [UInt8]

    /// A copy of `text`, named like the file at `original`, so that the editor recognises its type.
    init(of text: [UInt8], named original: String) throws {
        self.original = text
        folder = try System.makeTemporaryFolder()
        path = "\(folder)/\(original.parts(separatedBy: "/").last ?? "preferences.json")"
        do { try Data(text).write(to: URL(filePath: path)) } catch {
            throw Failure(.notSaved, "Could not write \"\(path)\". Check that its folder exists and has free space.")
        }
    }

    /// Opens the copy in the user's editor and waits until that ends.
    func openInEditor() throws {
        let editor = try System.environment("VISUAL") ?? System.environment("EDITOR") ?? "vi"
        // By the shell, as usual: the variable may contain options or quotes.
        let status = System.shell(editor, path)
        // A script may end so, too, after the editor in it has been used.
        if status == 127 || status == 126, try read() == original {
            remove()
            throw Failure(.misconfigured, "The editor \"\(editor)\" cannot be started. Set VISUAL or EDITOR to one that is installed.")
        }
        guard status == 0 else {
            throw Failure(.notSaved, "The editor \"\(editor)\" ended with status \(status), so nothing was changed. \(whereabouts)")
        }
    }

    func read() throws -> [UInt8] { try System.readFile(path) }

    func remove() {
        try? FileManager.default.removeItem(atPath: folder)  // what remains is in the folder for temporary files
    }

    /// A sentence that says where the copy is.
    var whereabouts: String { "Your edit is kept in \"\(path)\"." }
}

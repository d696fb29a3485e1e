import ArgumentParser
import StoredValues
import StoredValuesToolSupport

struct EditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Edit the whole file in $VISUAL or $EDITOR.",
        discussion: """
            You edit a copy, which is checked before anything is replaced. Only the keys that you changed are \
            written; changes made elsewhere meanwhile are kept. If a key was changed in both places, or the copy is not JSON, \
            you are asked what to do. Without a terminal, nothing is changed and the copy is kept.
            """)

    @OptionGroup var settings: SettingsOptions

    func run() async throws {
        let storage = try settings.storage()
        let edit = try storage.beginEdit()
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
                    throw Failure(error).map { Failure($0.status, "\($0.sentence ?? "") \(copy.whereabouts)") } ?? error
                }
                copy.remove()
                return Output.error.line("Changed: \(Output.error.oneLine(keys.joined(separator: ", ")))")
            case .notJSON(let why):
                let sentence = "The edited text is not JSON: \(why)."
                switch try Question.ask(sentence, [.editAgain, .quit]) {
                case .editAgain: try copy.openInEditor()
                default: throw Failure(.badData, "\(sentence) Nothing was changed. \(copy.whereabouts)")
                }
            case .conflict(let keys):
                let names = keys.map { "\"\($0)\"" }.joined(separator: ", ")
                let sentence = "Another program changed \(names) since the editor was opened."
                switch try Question.ask(sentence, [.editAgain, .overwrite, .quit]) {
                case .editAgain: try copy.openInEditor()
                case .overwrite: isOverwriting = true
                default: throw Failure(.tryAgain, "\(sentence) Nothing was changed. \(copy.whereabouts)")
                }
            }
        }
    }
}

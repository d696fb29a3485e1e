import FoundationEssentials
import StoredValues
import StoredValuesSupport

/// The text that a person edits, in a file of its own that nobody else can read.
struct EditedCopy {
    private let folder: String
    private let path: String

    /// A copy of `text`, with the name of the file at `original`, so that the editor knows what it is.
    init(of text: [UInt8], named original: String) throws {
        folder = try System.makeTemporaryFolder()
        path = "\(folder)/\(original.parts(separatedBy: "/").last ?? "preferences.json")"
        try attempt("write") { try Data(text).write(to: URL(filePath: path)) }
    }

    /// Opens the copy in the person's editor and waits for its end.
    func openInEditor() throws {
        let named = try ["VISUAL", "EDITOR"].compactMap(System.environment).first { !$0.isEmpty }
        let editor = named ?? "vi"
        // By the shell, as all programs do it: the variable may hold options too, or quotes.
        let status = System.shell(editor, path)
        if status == 127 || status == 126 {
            remove()
            throw Failure(.misconfigured, "The editor \"\(editor)\" cannot be started. Set VISUAL or EDITOR to one that is installed.")
        }
        guard status == 0 else {
            throw Failure(.notSaved, "The editor \"\(editor)\" ended with status \(status), so nothing was changed. \(whereabouts)")
        }
    }

    func read() throws -> [UInt8] {
        try attempt("read") { Array(try Data(contentsOf: URL(filePath: path))) }
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: folder)  // what remains is in the place for temporary files
    }

    /// Where it is, in a sentence.
    var whereabouts: String { "Your edit is kept in \"\(path)\"." }

    private func attempt<Result>(_ verb: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            throw Failure(.notSaved, "Could not \(verb) \"\(path)\". Check that its folder is there and has room.")
        }
    }
}

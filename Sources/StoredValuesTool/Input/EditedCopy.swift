import FoundationEssentials
import StoredValues
import StoredValuesSupport
import StoredValuesToolSupport

/// The text that the user edits, in a file that no other user can read.
struct EditedCopy {
    private let folder: String
    private let path: String

    /// A copy of `text`, named like the file at `original`, so that the editor recognises its type.
    init(of text: [UInt8], named original: String) throws {
        folder = try System.makeTemporaryFolder()
        path = "\(folder)/\(original.parts(separatedBy: "/").last ?? "preferences.json")"
        try attempt("write") { try Data(text).write(to: URL(filePath: path)) }
    }

    /// Opens the copy in the user's editor and waits until that ends.
    func openInEditor() throws {
        let named = try ["VISUAL", "EDITOR"].compactMap(System.environment).first { !$0.isEmpty }
        let editor = named ?? "vi"
        // By the shell, as usual: the variable may contain options or quotes.
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
        try? FileManager.default.removeItem(atPath: folder)  // what remains is in the folder for temporary files
    }

    /// A sentence that says where the copy is.
    var whereabouts: String { "Your edit is kept in \"\(path)\"." }

    private func attempt<Result>(_ verb: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            throw Failure(.notSaved, "Could not \(verb) \"\(path)\". Check that its folder exists and has free space.")
        }
    }
}

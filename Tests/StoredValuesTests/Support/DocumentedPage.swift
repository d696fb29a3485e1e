import Foundation
import Testing

/// A page that shows Swift: the README, an article, a step of a tutorial, or the comments of a source file.
struct DocumentedPage: CustomTestStringConvertible {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Where it lies in the package.
    let path: String
    let text: String

    var testDescription: String { path }

    /// Whether it is a step of a tutorial, which is Swift as a whole.
    var isStep: Bool { path.contains(".docc/") && path.hasSuffix(".swift") }

    /// The README, every page of the catalogue, every step of its tutorials, and the source files with examples.
    static let all: [DocumentedPage] = {
        let catalogue = "Sources/StoredValues/StoredValues.docc"
        let entries = FileManager.default.enumerator(atPath: root.appending(path: catalogue).path)
        let files = entries?.compactMap { $0 as? String } ?? []
        // What does not compile, and what does instead, has a test of its own.
        let pages = files.filter { ($0.hasSuffix(".md") || $0.hasSuffix(".swift")) && $0 != "CompileErrors.md" }
            .sorted().map { "\(catalogue)/\($0)" }
        let written = (["README.md"] + pages).map { path in
            DocumentedPage(path: path, text: (try? contents(ofFile: root.appending(path: path).path)) ?? "")
        }
        return written + sources
    }()

    /// The module for programs that change what many machines share, which exists with its trait only.
    private static let fleet = "StoredValuesFleet"

    /// The documentation comments of each source file that has examples, every line in its place.
    private static let sources: [DocumentedPage] = {
        #if Fleet
            examples(in: "StoredValues") + examples(in: fleet)
        #else
            examples(in: "StoredValues")
        #endif
    }()

    private static func examples(in module: String) -> [DocumentedPage] {
        let folder = "Sources/\(module)"
        let entries = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
        let files = entries?.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") && !$0.contains(".docc/") } ?? []
        return files.sorted().compactMap { file in
            let path = "\(folder)/\(file)"
            let text = (try? contents(ofFile: root.appending(path: path).path)) ?? ""
            guard text.contains("/// ```swift") else { return nil }
            let comments = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
                let line = line.drop { $0 == " " }
                return line.hasPrefix("///") ? line.dropFirst(line.hasPrefix("/// ") ? 4 : 3) : ""
            }
            return DocumentedPage(path: path, text: comments.joined(separator: "\n"))
        }
    }

    /// What is to be compiled of it: its snippets as one program, so that a later one may use what an earlier one declared; and
    /// those for a `Package.swift`, each for itself. Without the trait of a module there are none that import it.
    func programs() throws -> [(text: String, isManifest: Bool)] {
        var snippets =
            isStep
            ? [DocumentedSnippet(text: text, line: 1, place: nil)] : try DocumentedSnippet.all(in: text)
        #if !Fleet
            snippets.removeAll { $0.text.contains("import \(Self.fleet)\n") }
        #endif
        let program = snippets.filter { !$0.isManifest }.map { $0.program(in: path) }.joined()
        let manifests = snippets.filter(\.isManifest).map { ($0.program(in: path), true) }
        let imports = path.hasPrefix("Sources/\(Self.fleet)/") ? "import StoredValues\nimport \(Self.fleet)\n" : "import StoredValues\n"
        return (program.isEmpty ? [] : [(imports + program, false)]) + manifests
    }
}

import Foundation
import Testing

/// A page that shows Swift: the README, an article, or a step of a tutorial.
struct DocumentedPage: CustomTestStringConvertible {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Where it lies in the package.
    let path: String
    let text: String

    var testDescription: String { path }

    /// The README, every page of the catalogue, and every step of its tutorials.
    static let all: [DocumentedPage] = {
        let catalogue = "Sources/StoredValues/StoredValues.docc"
        let entries = FileManager.default.enumerator(atPath: root.appending(path: catalogue).path)
        let files = entries?.compactMap { $0 as? String } ?? []
        // What does not compile, and what does instead, has a test of its own.
        let pages = files.filter { ($0.hasSuffix(".md") || $0.hasSuffix(".swift")) && $0 != "CompileErrors.md" }
            .sorted().map { "\(catalogue)/\($0)" }
        return (["README.md"] + pages).map { path in
            DocumentedPage(path: path, text: (try? contents(ofFile: root.appending(path: path).path)) ?? "")
        }
    }()

    /// What is to be compiled of it: its snippets as one program, so that a later one may use what an earlier one declared; and
    /// those for a `Package.swift`, each for itself.
    func programs() throws -> [(text: String, isManifest: Bool)] {
        let snippets =
            path.hasSuffix(".swift")
            ? [DocumentedSnippet(text: text, line: 1, place: nil)] : try DocumentedSnippet.all(in: text)
        let program = snippets.filter { !$0.isManifest }.map { $0.program(in: path) }.joined()
        let manifests = snippets.filter(\.isManifest).map { ($0.program(in: path), true) }
        return (program.isEmpty ? [] : [("import StoredValues\n" + program, false)]) + manifests
    }
}

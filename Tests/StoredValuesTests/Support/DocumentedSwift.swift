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
            .filter { isStoreBuiltIn || $0 != "Collections.md" }
            .sorted().map { "\(catalogue)/\($0)" }
        let written = (["README.md"] + pages).map { path in
            DocumentedPage(path: path, text: (try? contents(ofFile: root.appending(path: path).path)) ?? "")
        }
        return written + sources
    }()

    /// The module for programs that change what many machines share, which exists with its trait only.
    private static let fleet = "StoredValuesFleet"
    /// The module for collections of items, which exists with its trait only.
    static let store = "StoredValuesStore"
    /// The module for tests, which needs Swift Testing.
    private static let testing = "StoredValuesTesting"

    /// The documentation comments of each source file that has examples, every line in its place.
    private static let sources: [DocumentedPage] = {
        var sources = examples(in: "StoredValues") + examples(in: testing)
        #if Fleet
            sources += examples(in: fleet)
        #endif
        return sources + (isStoreBuiltIn ? examples(in: store) : [])
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
        if !isStoreBuiltIn { snippets.removeAll { $0.text.contains("import \(Self.store)\n") } }
        let program = snippets.filter { !$0.isManifest }.map { $0.program(in: path) }.joined()
        let manifests = snippets.filter(\.isManifest).map { ($0.program(in: path), true) }
        let more = [Self.fleet: [Self.fleet], Self.testing: [Self.testing, "Testing"]].first { path.hasPrefix("Sources/\($0.key)/") }?.value
        let imports = (["StoredValues"] + (more ?? [])).map { "import \($0)\n" }.joined() + surroundingsOfStore
        return (program.isEmpty ? [] : [(imports + program, false)]) + manifests
    }

    /// What the comments of the module for collections leave out: what one of them declares.
    private var surroundingsOfStore: String {
        guard path.hasPrefix("Sources/\(Self.store)/") else { return "" }
        let imports = "import Foundation\nimport \(Self.store)\n"
        if text.contains("struct Note:") { return imports }
        return imports + """
            struct Note: Codable, Identifiable, Sendable { let id: UUID; var text: String }
            extension Store where Item == Note { static let notes = Store("notes") }

            """
    }
}

/// One block of Swift in a page of the documentation.
///
/// A block that begins with a declaration stands for itself; any other is the body of a function. One that needs another
/// place says which, in a comment before it that no reader of the page sees:
///
///     <!-- in: extension Editor -->
///     <!-- in: func report(editor: Editor) async throws -->
struct DocumentedSnippet {
    let text: String
    /// The line of the page on which it begins.
    let line: Int
    /// The declaration in whose braces it stands, as the page says.
    let place: String?

    private static let declarations = [
        "import ", "struct ", "enum ", "actor ", "final class ", "class ", "protocol ", "extension ", "func ", "typealias ",
        "@main", "@Test", "@Suite",
    ]

    /// Whether it is a part of a `Package.swift`, which is compiled against another module.
    var isManifest: Bool { text.hasPrefix("dependencies:") || text.contains("import PackageDescription") }

    /// The snippet as a part of a program, which names the snippet's own place in what the compiler says. What is or belongs into a
    /// function is there three times: in no actor, in the main actor and in another, for people paste it into all of these.
    func program(in page: String) -> String {
        surroundings.map { opening, closing in
            let first = opening.isEmpty ? line : line - 1
            return "#sourceLocation(file: \"\(page)\", line: \(first))\n\(opening)\(text)\(closing)#sourceLocation()\n"
        }.joined()
    }

    /// What stands before and behind it: a line each, or nothing.
    private var surroundings: [(opening: String, closing: String)] {
        if text.hasPrefix("dependencies:") {
            return [("import PackageDescription; let package = Package(name: \"Editor\",\n", ")\n")]
        }
        let isWhole = Self.declarations.contains(where: text.hasPrefix) || isManifest
        guard let function = place ?? (isWhole ? nil : "func snippet\(line)() async throws"), function.hasPrefix("func ") else {
            let itself = place.map { ("\($0) {\n", "}\n") } ?? ("", "")
            return [itself] + (place == nil && text.hasPrefix("func ") ? actors(around: nil) : [])
        }
        return [("\(function) {\n", "}\n")] + actors(around: function)
    }

    /// The main actor and another one, around the snippet or around this function around it.
    private func actors(around function: String?) -> [(opening: String, closing: String)] {
        ["@MainActor struct OnMainActor\(line)", "actor Actor\(line)"].map { type in
            ("\(type) { \(function.map { "\($0) {" } ?? "")\n", function == nil ? "}\n" : "} }\n")
        }
    }
}

extension DocumentedSnippet {
    /// A fence of a page that says no language, which would be a snippet that nobody compiles.
    struct FenceWithoutLanguage: Error {
        let line: Int
    }

    /// The blocks of Swift in `page`, a text in Markdown.
    static func all(in page: String) throws(FenceWithoutLanguage) -> [DocumentedSnippet] {
        var snippets: [DocumentedSnippet] = []
        var fence: (language: Substring, line: Int)?
        var text = ""
        var place: String?
        for (index, line) in page.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            switch (fence, line) {
            case (let open?, "```"):
                if open.language == "swift" { snippets.append(DocumentedSnippet(text: text, line: open.line, place: place)) }
                (fence, text, place) = (nil, "", nil)
            case (.some, _):
                text += line + "\n"
            case (nil, _) where line.hasPrefix("```"):
                guard line.count > 3 else { throw FenceWithoutLanguage(line: index + 1) }
                fence = (line.dropFirst(3), index + 2)
            case (nil, _) where line.hasPrefix("<!-- in: "):
                place = String(line.dropFirst("<!-- in: ".count).dropLast(" -->".count))
            default: break
            }
        }
        return snippets
    }
}

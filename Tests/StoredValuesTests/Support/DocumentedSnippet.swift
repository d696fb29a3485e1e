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

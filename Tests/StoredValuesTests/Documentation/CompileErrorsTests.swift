import Foundation
import Testing

@Suite("When it does not compile", .heavy, .hangLimit)
struct CompileErrorsTests {}

extension CompileErrorsTests {
    /// One section of the article: a mistake, what the compiler says of it, and what to write instead.
    private struct Mistake {
        let title: String
        let wrong: String
        let message: String
        let right: String
        var isOnMainActor: Bool { title.contains("main-actor default isolation") }
        var isOfStore: Bool { wrong.contains("import \(DocumentedPage.store)\n") }
    }

    @Test("The compiler says what the article quotes of each mistake, and takes what the article has instead", arguments: [false, true])
    func article(isOnMainActor: Bool) async throws {
        let mistakes = try mistakes().filter { $0.isOnMainActor == isOnMainActor }
        #expect(mistakes.count >= (isOnMainActor ? 1 : 10))
        try await check(mistakes.filter { !$0.isOfStore }, isOnMainActor)
        // By themselves: the store shows FoundationEssentials, whose members every file of the module would have.
        if isStoreBuiltIn { try await check(mistakes.filter(\.isOfStore), isOnMainActor) }
    }

    private func check(_ mistakes: [Mistake], _ isOnMainActor: Bool) async throws {
        guard !mistakes.isEmpty else { return }
        try await withTemporaryFolder { folder in
            let wrong = try await compile(mistakes.map(\.wrong), isOnMainActor, in: folder)
            for (number, mistake) in mistakes.enumerated() {
                let isSaid = wrong.split(separator: "\n").contains { line in
                    // What a macro expands to has a place of its own.
                    (line.contains("/\(number).swift:") || line.hasPrefix("macro expansion")) && line.contains(mistake.message)
                }
                #expect(isSaid, "\(mistake.title)")
            }
            #expect(try await compile(mistakes.map(\.right), isOnMainActor, in: folder) == "")
        }
    }

    @Test("Each message of the overview is one that is quoted below it")
    func overview() throws {
        let (overview, mistakes) = (try sections()[0], try mistakes())
        let messages = overview.split(separator: "\n").filter { $0.hasSuffix("> |") }.compactMap { $0.split(separator: " | ").first }
        #expect(messages.count >= 5)
        for message in messages {
            let parts = message.dropFirst("| ".count).components(separatedBy: "…").map { $0.trimmingCharacters(in: .whitespaces) }
            #expect(mistakes.contains { mistake in parts.allSatisfy { $0.isEmpty || mistake.message.contains($0) } }, "\(message)")
        }
    }

    /// The overview, then a section for each mistake.
    private func sections() throws -> [String] {
        let article = DocumentedPage.root.path + "/Sources/StoredValues/StoredValues.docc/CompileErrors.md"
        return try Array(contents(ofFile: article).components(separatedBy: "\n## ").dropFirst())
    }

    private func mistakes() throws -> [Mistake] {
        try sections().dropFirst().map { section in
            func code(_ fence: String) throws -> String {
                let block = try #require(section.components(separatedBy: "```\(fence)\n").dropFirst().first, "\(section)")
                return try #require(block.components(separatedBy: "```").first)
            }
            let message = try #require(section.split(separator: "\n").first { $0.hasPrefix("    error: ") }, "\(section)")
            return Mistake(
                title: String(section.prefix { $0 != "\n" }), wrong: try code("swift mistake"),
                message: message.trimmingCharacters(in: .whitespaces), right: try code("swift"))
        }
    }

    /// What the compiler prints of these files of one module that uses the library.
    private func compile(_ files: [String], _ isOnMainActor: Bool, in folder: String) async throws -> String {
        let paths = try files.enumerated().map { number, text in
            let path = "\(folder)/\(number).swift"
            try "import StoredValues\n\(text)".write(toFile: path, atomically: false, encoding: .utf8)
            return path
        }
        let isolation = isOnMainActor ? ["-default-isolation", "MainActor"] : []
        let program = try await TypeChecker().check(paths, ["-wmo"] + isolation, in: folder)
        return program.output + program.errors
    }
}

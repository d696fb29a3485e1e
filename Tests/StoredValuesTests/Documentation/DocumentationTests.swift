import Foundation
import Testing

@Suite("Documentation", .heavy, .hangLimit)
struct DocumentationTests {}

extension DocumentationTests {
    @Test("Every snippet of a page compiles", arguments: DocumentedPage.all)
    func compiles(page: DocumentedPage) async throws {
        #expect(!page.text.isEmpty)
        let checker = try await TypeChecker()
        for program in try page.programs() {
            let complaint = try await checker.complaint(about: program.text, isScript: program.isManifest)
            #expect(complaint.isEmpty, "\(complaint)")
        }
    }

    @Test("Every operation of the table compiles as it is spelled there")
    func operations() async throws {
        let page = try #require(DocumentedPage.all.first { $0.path == "README.md" })
        let operations = try #require(DocumentedTable.operations(in: page.text))
        #expect(try await TypeChecker().complaint(about: operations.program(in: page.path, atLeast: 41)) == "")
    }

    @Test("Of the tables with the calls of others, what is called here compiles, and what the tool is told works", arguments: ["swift-sharing", "DataStore", "GSettings"])
    func calls(library: String) async throws {
        let page = try #require(DocumentedPage.all.first { $0.path.hasSuffix("/ComingFromOtherLibraries.md") })
        let calls = try #require(DocumentedTable.calls(of: library, in: page.text))
        #expect(try await TypeChecker().complaint(about: calls.program(in: page.path, atLeast: 10)) == "")
        try await withTool { tool in
            try tool.write(#"{"limit": 60}"#, to: "\(tool.folder)/.config/com.example.Editor/preferences.json")
            for command in calls.commands where command[1] != "watch" {  // which does not end by itself
                let run = try await tool.run(Array(command.dropFirst()))
                #expect(run.status == 0, "\(command): \(run)")
            }
        }
    }

    @Test("A snippet that does not compile is found, and named by its page and line")
    func finds() async throws {
        let page = DocumentedPage(
            path: "Page.md",
            text: "# Page\n\n```swift\n$theme.flip()\n```\n\n```sh\nls\n```\n\n<!-- in: struct Place -->\n```swift\nvar n: Int = true\n```\n")
        let complaint = try await TypeChecker().complaint(about: try #require(page.programs().first).text)
        #expect(complaint.contains("Page.md:4:") && complaint.contains("Page.md:13:"), "\(complaint)")
    }

    @Test("A fence without a language is found")
    func fence() {
        #expect(throws: DocumentedSnippet.FenceWithoutLanguage.self) { try DocumentedSnippet.all(in: "```\nlet a = 1\n```\n") }
    }

    @Test("Each step that is compiled is one that the tutorial shows, and the other way round")
    func steps() throws {
        let tutorial = try contents(
            ofFile: DocumentedPage.root.appending(path: "Sources/StoredValues/StoredValues.docc/WatchedAndSecured.tutorial").path)
        let shown = tutorial.matches(of: /file: (\S+\.swift)\)/).map { String($0.1) }
        let compiled = DocumentedPage.all.filter(\.isStep).map { String($0.path.split(separator: "/").last ?? "") }
        #expect(shown == compiled && !shown.isEmpty)
    }

    @Test("The examples in the comments of the sources are among the pages, and are fenced as those in articles are")
    func comments() throws {
        let sources = DocumentedPage.all.filter { $0.path.hasSuffix(".swift") && !$0.isStep }
        #expect(sources.contains { $0.path.hasSuffix("/SecurelyStoredValue.swift") })
        for page in sources { #expect(try !DocumentedSnippet.all(in: page.text).isEmpty, "\(page.path)") }
    }
}

import Foundation
import StoredValues
import Testing

@Suite("README", .hangLimit)
struct ReadmeTests {}

extension ReadmeTests {
    private static let catalogue = "Sources/StoredValues/StoredValues.docc"

    private func page(_ path: String) throws -> String { try contents(ofFile: DocumentedPage.root.appending(path: path).path) }

    @Test("The first example of the README and of the landing page is the one that is compiled here", arguments: ["README.md", "\(catalogue)/StoredValues.md"])
    func verbatim(path: String) throws {
        let example = try contents(ofFile: URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/ReadmeExample.swift")
        let mark = "// swift-format-ignore-file\n"  // its comments stand below one another
        try #require(example.hasPrefix(mark))
        #expect(try page(path).contains("```swift\n\(example.dropFirst(mark.count))```\n"))
    }

    @Test("The article on libraries shows the library that the package of a user takes")
    func library() throws {
        let library = try page("Tests/Consumer/Telemetry/Sources/Telemetry/Telemetry.swift")
        #expect(try page("\(Self.catalogue)/Libraries.md").contains("```swift\n\(library)```\n"))
    }

    @Test("Every test that the guarantees name exists")
    func namedTests() throws {
        let names = Set(try page("\(Self.catalogue)/Guarantees.md").matches(of: /`(\w+Tests)`/).map { String($0.1) })
        let folder = DocumentedPage.root.appending(path: "Tests/StoredValuesTests").path
        let files = try #require(FileManager.default.enumerator(atPath: folder)).compactMap { $0 as? String }.filter { $0.hasSuffix("Tests.swift") }
        let tests = Set(try files.flatMap { try contents(ofFile: "\(folder)/\($0)").matches(of: /(?:struct|class|actor|enum) (\w+Tests)\b/).map { String($0.1) } })
        #expect(names.count > 30 && names.subtracting(tests).isEmpty, "\(names.subtracting(tests))")
    }

    @Test("The guarantees name the tests of each row of their tables, in the order of the rows")
    func testedRows() throws {
        let parts = try page("\(Self.catalogue)/Guarantees.md").components(separatedBy: "\n### The tests\n")
        try #require(parts.count == 2)
        let rows = parts[0].matches(of: /(?m)^\| ([^|]+) \|/).map { String($0.1) }.filter { $0 != "Event" }
        let tested = parts[1].matches(of: /(?m)^- ([^:]+): `\w+Tests`/).map { String($0.1) }
        #expect(rows.count > 30 && rows == tested)
    }

    @Test("A picture for the dark is the same as that for the light, but for its colours")
    func pictures() throws {
        let folder = "\(Self.catalogue)/Resources"
        let files = try FileManager.default.contentsOfDirectory(atPath: DocumentedPage.root.appending(path: folder).path)
        let dark = files.filter { $0.hasSuffix("~dark.svg") }
        #expect(dark.count == 2)
        for file in dark {
            let pictures = try [file, file.replacing("~dark", with: "")].map { try page("\(folder)/\($0)").replacing(/#[0-9a-f]{6}/, with: "") }
            #expect(pictures[0] == pictures[1], "\(file)")
        }
    }

    @Test("The README is one page, and names every page of the documentation by a link that leads there")
    func onePage() throws {
        let readme = try page("README.md")
        #expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count - 1 <= 130)
        let links = readme.matches(of: /\[[^\]]+\]\(([^)]+)\)/).map { String($0.1) }
        for link in links {
            #expect(FileManager.default.fileExists(atPath: DocumentedPage.root.appending(path: link).path), "\(link)")
        }
        let articles = try FileManager.default.contentsOfDirectory(atPath: DocumentedPage.root.appending(path: Self.catalogue).path)
        for article in articles where article.hasSuffix(".md") {
            #expect(links.contains("\(Self.catalogue)/\(article)"), "\(article)")
        }
    }

    @Test("The README alone has the table of operations; the landing page says so, and lists every article")
    func landingPage() throws {
        let landing = try page("\(Self.catalogue)/StoredValues.md")
        #expect(DocumentedTable.operations(in: try page("README.md")) != nil && DocumentedTable.operations(in: landing) == nil)
        #expect(landing.contains("`README.md`"))
        let articles = try FileManager.default.contentsOfDirectory(atPath: DocumentedPage.root.appending(path: Self.catalogue).path)
        for article in articles where article.hasSuffix(".md") && article != "StoredValues.md" {
            #expect(landing.contains("- <doc:\(article.dropLast(3))>\n"), "\(article)")
        }
    }

    @Test("The README's example leaves its theme in the file and its token in the keyring")
    func run() async throws {
        await #expect(processExitsWith: .success) {
            try await withTemporaryFolder { folder in
                setenv("STORED_VALUES_PREFERENCES", "\(folder)/preferences.json", 1)
                setenv("STORED_VALUES_KEYRING", "file:\(folder)/secrets", 1)
                let editor = Editor()
                // A busy disk may need more than the 5 s that it has.
                try await eventually("the token is stored") {
                    do { try await editor.signIn(with: "s3cret") } catch let error as SecretError {
                        guard case .timedOut = error.reason else { throw error }
                        return false
                    }
                    return true
                }
                let (theme, token) = await (editor.theme, editor.token)
                #expect(theme == .dark && token == "s3cret")
                #expect(try String(contentsOfFile: "\(folder)/preferences.json", encoding: .utf8).contains(#""theme": "dark""#))
                #expect(FileManager.default.fileExists(atPath: "\(folder)/secrets"))
            }
        }
    }
}

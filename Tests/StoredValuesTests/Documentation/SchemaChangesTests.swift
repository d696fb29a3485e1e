import Foundation
import StoredValues
import Testing

@Suite("The article on changing what you store")
struct SchemaChangesTests {}

extension SchemaChangesTests {
    @Test("Its versioned type is the one that is compiled here")
    func verbatim() throws {
        let folder = DocumentedPage.root.path
        let example = try contents(ofFile: folder + "/Tests/StoredValuesTests/Documentation/SchemaChangesExample.swift")
        let article = try contents(ofFile: folder + "/Sources/StoredValues/StoredValues.docc/SchemaChanges.md")
        #expect(article.contains("```swift\n\(example.dropFirst("import StoredValues\n\n".count))```\n"))
    }

    @Test(
        "A page becomes one of version 2 in as many steps as it takes",
        arguments: [
            #"{"page": {"width": 10, "margin": 2}}"#,
            #"{"$versions": {"page": 1}, "page": {"width": 10, "margins": [2]}}"#,
            #"{"$versions": {"page": 2}, "page": {"width": 254, "margins": [50.8]}}"#,
        ])
    func migrate(file: String) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try file.write(toFile: path, atomically: false, encoding: .utf8)
            let page = StoredValue(key: "page", default: Page(), storage: PreferencesFile(path: path))
            #expect(page.value.width == 254 && page.value.margins == [50.8] && page.repairs.isEmpty)
        }
    }
}

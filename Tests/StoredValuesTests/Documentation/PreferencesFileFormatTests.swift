import Foundation
import StoredValues
import Testing

@Suite("The page on the format of the preferences file")
struct PreferencesFileFormatTests {}

extension PreferencesFileFormatTests {
    private struct Window: VersionedItem {
        static let version = 2
        static func migrate(_ json: inout JSONValue, from version: Int) {}

        var width = 800
        var height = 600
    }

    private func page() throws -> String {
        try contents(ofFile: DocumentedPage.root.appending(path: "Sources/StoredValues/StoredValues.docc/PreferencesFileFormat.md").path)
    }

    @Test("Its example is what is written, byte for byte")
    func example() throws {
        try withTemporaryFolder { folder in
            let file = PreferencesFile(path: folder + "/preferences.json")
            StoredValue(key: "window", default: Window(), storage: file).set(Window())
            StoredValue(key: "theme", default: "light", storage: file).set("dark")
            StoredValue<String?>(key: "signature", storage: file).set(nil)
            StoredValue(key: "recent", default: [String](), storage: file).set(["notes.txt", "todo.txt"])
            StoredValue(key: "lastOpened", default: Date.distantPast, storage: file)
                .set(Date(timeIntervalSinceReferenceDate: 816_951_540.25))
            let (page, written) = (try page(), try contents(ofFile: file.path))
            #expect(page.contains("```json\n\(written)```\n"), "\(written)")
        }
    }

    @Test("The files that it lists are those that lie beside")
    func files() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/preferences.json"
            try "{".write(toFile: path, atomically: false, encoding: .utf8)
            let value = StoredValue(key: "theme", default: "light", storage: PreferencesFile(path: path))
            value.set("dark")
            try await value.flush()
            let names = try FileManager.default.contentsOfDirectory(atPath: folder).map {
                $0.replacing(/rejected-\d{8}T\d{6}Z/, with: "rejected-20261121T105900Z")
            }
            #expect(names.count == 5)
            let page = try page()
            for name in names where name != "preferences.json" { #expect(page.contains("| `\(name)` |"), "\(name)") }
        }
    }
}

import Foundation
import StoredValues
import Testing

@Suite("README", .hangLimit)
struct ReadmeTests {
    @Test("The README's examples are those that are compiled here", arguments: [("ReadmeExample.swift", ""), ("ReadmeWindow.swift", "import StoredValues\n\n")])
    func verbatim(file: String, without beginning: String) throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let example = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
        let readme = try String(contentsOf: folder.appendingPathComponent("../../README.md"), encoding: .utf8)
        #expect(example.hasPrefix(beginning))
        #expect(readme.contains("```swift\n\(example.dropFirst(beginning.count))```\n"))
    }

    @Test("The README's window keeps its width through its versions")
    func window() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let text = #"{"$versions": {"window": 1}, "window": {"size": {"width": 640}}}"#
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            #expect(StoredValue(key: "window", default: EditorWindow(), storage: PreferencesFile(path: path)).wrappedValue.width == 640)
        }
    }

    @Test("The README's example leaves its theme in the file and its token in the keyring", .needsEncryptedFile)
    func run() async throws {
        await #expect(processExitsWith: .success) {
            try await withTemporaryFolder { folder in
                setenv("STORED_VALUES_PREFERENCES", "\(folder)/preferences.json", 1)
                setenv("STORED_VALUES_KEYRING", "file:\(folder)/secrets", 1)
                let editor = Editor()
                try await editor.signIn(with: "s3cret")
                let (theme, token) = await (editor.theme, editor.token)
                #expect(theme == .dark && token == "s3cret")
                #expect(try String(contentsOfFile: "\(folder)/preferences.json", encoding: .utf8).contains(#""theme": "dark""#))
                #expect(FileManager.default.fileExists(atPath: "\(folder)/secrets"))
            }
        }
    }
}

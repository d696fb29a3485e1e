import Foundation
import StoredValues
import Testing

@Suite("README")
struct ReadmeTests {
    @Test("The README's example is the one that is compiled here")
    func verbatim() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let example = try String(contentsOf: folder.appendingPathComponent("ReadmeExample.swift"), encoding: .utf8)
        let readme = try String(contentsOf: folder.appendingPathComponent("../../README.md"), encoding: .utf8)
        #expect(readme.contains("```swift\n\(example)```\n"))
    }

    @Test("The README's example leaves its theme in the file and its token in the keyring")
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

import Foundation
import Testing

@Suite("Walls")
struct WallsTests {
    private static let sources = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources")

    private func files() throws -> [(path: String, text: String)] {
        let paths = try #require(FileManager.default.enumerator(atPath: Self.sources.path)).compactMap { $0 as? String }
        return try paths.filter { $0.hasSuffix(".swift") }.sorted().map { path in
            (path, try String(contentsOf: Self.sources.appendingPathComponent(path), encoding: .utf8))
        }
    }

    @Test("Only SecretService imports libsecret's headers")
    func oneDoorToC() throws {
        let importers = try files().filter { $0.text.contains("import CSecret") }
        #expect(!importers.isEmpty)
        for file in importers { #expect(file.path.hasPrefix("SecretService/"), "\(file.path) imports CSecret") }
    }

    @Test("Every file that needs libsecret is left out as a whole without the trait")
    func wholeFiles() throws {
        for file in try files() where file.text.contains("import CSecret") || file.text.contains("import SecretService") {
            #expect(file.text.hasPrefix("#if Libsecret\n") && file.text.hasSuffix("#endif\n"), "\(file.path)")
        }
    }
}

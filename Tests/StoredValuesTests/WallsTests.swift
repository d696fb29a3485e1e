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

    @Test("Only StoredValuesSecretService imports libsecret's headers")
    func oneDoorToC() throws {
        let importers = try files().filter { $0.text.contains("import CSecret") }
        #expect(!importers.isEmpty)
        for file in importers { #expect(file.path.hasPrefix("StoredValuesSecretService/"), "\(file.path) imports CSecret") }
    }

    @Test("Every file that needs libsecret is left out as a whole without the trait")
    func wholeFiles() throws {
        for file in try files() where file.text.contains("import CSecret") || file.text.contains("import StoredValuesSecretService") {
            #expect(file.text.hasPrefix("#if Libsecret\n") && file.text.hasSuffix("#endif\n"), "\(file.path)")
        }
    }

    @Test("Only the provider imports swift-configuration, and is left out as a whole without the trait")
    func configuration() throws {
        for file in try files() {
            let isProvider = file.path.hasPrefix("StoredValuesConfiguration/")
            #expect(file.text.contains("import Configuration\n") ? isProvider : true, "\(file.path) imports swift-configuration")
            #expect(!isProvider || file.text.hasPrefix("#if Configuration\n") && file.text.hasSuffix("#endif\n"), "\(file.path)")
        }
    }

    @Test("Of Foundation only its essentials are imported")
    func essentials() throws {
        for file in try files() {
            let imports = file.text.matches(of: /(?m)^.*\bimport Foundation\b.*$/)
            #expect(imports.isEmpty, "\(file.path) imports Foundation")
        }
    }

    @Test("Only the tool parses arguments, and nobody who uses the library links that")
    func argumentParser() throws {
        for file in try files() where file.text.contains("import ArgumentParser") {
            #expect(file.path.hasPrefix("StoredValuesTool/"), "\(file.path)")
        }
        func names(_ program: String) throws -> Bool {
            try Data(contentsOf: URL(fileURLWithPath: BuiltProgram.path(program))).range(of: Data("ArgumentParser".utf8)) != nil
        }
        #expect(try names("stored-values") && !names("TestProcess"))
    }

    @Test("No room names the types of one above it", arguments: [
        ("Live", ["Keyrings", "Preferences", "Values"]), ("Keyrings", ["Preferences", "Values"]),
        ("Preferences", ["Keyrings", "Values"]),
    ])
    func arrows(room: String, above: [String]) throws {
        let files = try files().map { (path: $0.path, code: Self.code($0.text)) }
        func inside(_ room: String) -> [(path: String, code: String)] {
            files.filter { $0.path.hasPrefix("StoredValues/\(room)/") }
        }
        let declaration = /(?m)^(?:[a-z]+ )*(?:class|struct|enum|protocol|actor|typealias) ([A-Z]\w*)/
        let types = Set(above.flatMap(inside).flatMap { $0.code.matches(of: declaration).map { String($0.1) } })
        #expect(types.count > 10)
        #expect(!inside(room).isEmpty)
        for file in inside(room) {
            let named = types.intersection(file.code.matches(of: /\b[A-Z]\w*/).map { String($0.0) })
            #expect(named.isEmpty, "\(file.path) names them")
        }
    }

    /// The text without comments and without what stands in quotes.
    private static func code(_ text: String) -> String {
        text.replacing(/(?m)\/\/.*$/, with: "").replacing(/"(?:[^"\\\n]|\\.)*"/, with: "")
    }
}

#if Configuration
    import Foundation
    import StoredValuesSupport
    import Testing

    @testable import StoredValues

    @Suite("The article on swift-configuration", .hangLimit)
    struct SwiftConfigurationTests {}

    extension SwiftConfigurationTests {
        @Test("Its example is the one that is compiled here")
        func verbatim() throws {
            let root = DocumentedPage.root.path
            let example = try contents(ofFile: root + "/Tests/StoredValuesTests/Configuration/SwiftConfigurationExample.swift")
            try #require(example.hasPrefix("// swift-format-ignore-file\n#if Configuration\n") && example.hasSuffix("#endif\n"))
            let lines = example.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(2).dropLast(2)
            let article = try contents(ofFile: root + "/Sources/StoredValues/StoredValues.docc/SwiftConfiguration.md")
            #expect(article.contains("```swift Configuration\n\(lines.joined(separator: "\n"))\n```\n"))
        }

        @Test("Its example connects with the token from the keyring, and again with each timeout")
        func run() async throws {
            try await withTemporaryStorage {
                await #expect(throws: (any Error).self) { try await connect() }
                try await SecurelyStoredValue<String>(key: "api.token").set("s3cret")
                let connecting = Task { try await connect() }
                try await eventually("it is connected") { Connections.made.last == "s3cret 30" }
                PreferencesFile.standard.set("http", to: ["timeout": 60])
                try await eventually("it is connected anew") { Connections.made == ["s3cret 30", "s3cret 60"] }
                connecting.cancel()
                try await connecting.value
            }
        }
    }

    private enum Connections {
        static let list = Guarded<[String]>([])
        static var made: [String] { list.withLock { $0 } }
    }

    /// What the example calls.
    func reconnect(_ token: String, _ timeout: Int) async { Connections.list.withLock { $0.append("\(token) \(timeout)") } }
#endif

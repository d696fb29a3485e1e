public import StoredValues
public import Testing

/// Runs each test with storage of its own, as `temporaryStorage(preferences:named:secrets:fault:)` says.
public struct TemporaryStorageTrait: SuiteTrait, TestTrait, TestScoping {
    let preferences: String
    let named: [String: String]
    let makeKeyring: @Sendable () async throws -> any Keyring

    @TaskLocal private static var keyringOfTest: InMemoryKeyring?

    /// The keyring of the current test, to make it fail later in the test: `keyring?.inject(.locked)`.
    ///
    /// Nil outside of a test with this trait, and where the trait was given another type of keyring.
    public static var keyring: InMemoryKeyring? { keyringOfTest }

    /// True: on a suite it is for each of its tests, and not for all of them together.
    public var isRecursive: Bool { true }

    /// Runs one case of a test with storage of its own.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let keyring = try await makeKeyring()
        try await withTemporaryStorage(preferences: preferences, named: named, keyring: keyring) {
            try await Self.$keyringOfTest.withValue(keyring as? InMemoryKeyring) { try await function() }
        }
    }
}

extension Trait where Self == TemporaryStorageTrait {
    /// Gives each test storage of its own, as `withTemporaryStorage` does: tests can run in parallel and never touch real data.
    ///
    /// ```swift
    /// @Suite(.temporaryStorage(preferences: #"{"limit": 7}"#, secrets: ["token": "t"]))
    /// struct LimitTests {
    ///     @Test func limitIsRead() {
    ///         #expect(StoredValue(key: "limit", default: 60).wrappedValue == 7)
    ///     }
    /// }
    /// ```
    ///
    /// On a suite it is for every test in it, and each case of a test with arguments has storage of its own. On a test in such a
    /// suite it replaces the suite's. The instance of the suite is made inside, so its properties may be wrappers.
    ///
    /// - Parameters:
    ///   - preferences: The initial content of `PreferencesFile.standard`: one JSON object, as in the file. Anything else traps
    ///     with a message that names the position.
    ///   - named: The same for each `PreferencesFile.named(_:)` that has an initial content, by name.
    ///   - secrets: The initial secrets of the application in the keyring: a text for each key.
    ///   - fault: What is wrong with the keyring when the test begins. ``TemporaryStorageTrait/keyring`` changes it.
    public static func temporaryStorage(
        preferences: String = "{}", named: [String: String] = [:], secrets: [String: String] = [:], fault: InMemoryKeyring.Fault? = nil
    ) -> Self {
        temporaryStorage(preferences: preferences, named: named) {
            let keyring = InMemoryKeyring(secrets: secrets)
            keyring.inject(fault)
            return keyring
        }
    }

    /// The same with a keyring of your own as `.system`, which `keyring` makes for each case of a test.
    public static func temporaryStorage(
        preferences: String = "{}", named: [String: String] = [:], keyring: @escaping @Sendable () async throws -> any Keyring
    ) -> Self {
        TemporaryStorageTrait(preferences: preferences, named: named, makeKeyring: keyring)
    }
}

import Foundation
import StoredValues
import StoredValuesTesting
import Testing

/// The rules of `Keyring`, against every keyring, and what ours have beyond them.
@Suite("Keyring contract", .hangLimit)
struct KeyringContractTests {}

extension KeyringContractTests {
    private static let cases = KeyringUnderTest.available.flatMap { subject in
        KeyringRule.allCases.filter { $0 != .unavailability || subject.setUnavailable != nil }.map { ($0, subject) }
    }

    @Test("Every keyring keeps every rule; that of outages where one can be made", arguments: cases)
    func keeps(_ rule: KeyringRule, _ subject: KeyringUnderTest) async throws {
        let keyring = try await subject.open()
        let setUnavailable = subject.setUnavailable.map { setUnavailable in
            { @Sendable (isUnavailable: Bool) in try await setUnavailable(keyring, isUnavailable) }
        }
        try await rule.check(within: hangLimit, setUnavailable: setUnavailable) { keyring }
    }

    @Test("Each of ours lists its secrets, and unlocking one in a cancelled task gets .cancelled", arguments: KeyringUnderTest.available)
    func beyondTheDefaults(_ subject: KeyringUnderTest) async throws {
        let keyring = try await subject.open()
        let id = SecretIdentifier(service: UUID().uuidString, account: "token")
        try await keyring.write(Secret(TestSecret.text().utf8), for: id, label: "token")
        #expect(try await keyring.identifiers(inService: id.service) == [id])
        #expect(try await keyring.removeAll(inService: id.service) == [id])
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await #expect(throws: KeyringError.cancelled) { try await keyring.identifiers(inService: id.service) }
            await #expect(throws: KeyringError.cancelled) { try await keyring.unlock() }
        }
        await task.value
    }

    @Test("The stream of changes of those that have one does not end", arguments: KeyringUnderTest.available.filter { $0.reportsChanges })
    func stream(_ subject: KeyringUnderTest) async throws {
        let keyring = try await subject.open()
        let id = SecretIdentifier(service: UUID().uuidString, account: "token")
        var changes = keyring.changes.makeAsyncIterator()
        try await keyring.write(Secret(TestSecret.text().utf8), for: id, label: "token")
        #expect(await changes.next() != nil)
        try await keyring.remove(id)
    }

    @Test("Many updates that await something make one refresh, and run again where the secret was changed meanwhile", arguments: KeyringUnderTest.available)
    func awaitingUpdates(_ subject: KeyringUnderTest) async throws {
        let keyring = try await subject.open()
        let id = SecretIdentifier(service: UUID().uuidString, account: "token")
        let token = SecurelyStoredValue<String>(key: id.account, service: id.service, keyring: keyring)
        try await token.set("expired")
        let server = TokenServer()
        @Sendable func freshToken() async throws -> String? {
            try await token.update { (token: inout String?) async throws in
                if token?.hasPrefix("expired") == true {
                    token = await server.refresh(token)
                    // As another process does it.
                    if token == "fresh 1" { try await keyring.write(Secret("expired again".utf8), for: id, label: "label") }
                }
                return token
            }
        }
        let tokens = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<20 { group.addTask { try await freshToken() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(tokens == Array(repeating: "fresh 2", count: 20))
        #expect(await server.refreshed == ["expired", "expired again"])
        #expect(try await keyring.read(id) == Secret("fresh 2".utf8))
        try await token.reset()
    }
}

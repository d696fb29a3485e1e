import StoredValues
import Testing

/// What a closure makes of an object in place is no value before it is stored.
@Suite("Updates of an object", .hangLimit)
struct ObjectUpdateTests {
    private let id = SecretIdentifier(service: "s", account: "account")
}

extension ObjectUpdateTests {
    private final class Account: Codable, @unchecked Sendable {  // changed by one test at a time only
        var name: String

        init(_ name: String) { self.name = name }
    }

    private struct Refused: Error {}

    @Test("One that throws leaves a secret as it is, in memory too, and one that is stored changes no object that readers have")
    func secret() async throws {
        let keyring = InMemoryKeyring()
        try await keyring.write(Secret(#"{"name": "stored"}"#.utf8), for: id, label: "")
        let account = SecurelyStoredValue<Account>(key: id.account, service: id.service, keyring: keyring)
        for _ in 0..<2 {
            await #expect(throws: Refused.self) {
                try await account.update { account in
                    account?.name = "never stored"
                    throw Refused()
                }
            }
            #expect(account.wrappedValue?.name == "stored")
        }
        let before = account.wrappedValue
        try await account.update { $0?.name = "new" }
        #expect(account.wrappedValue?.name == "new" && before?.name == "stored")
        #expect(try await account.load()?.name == "new")
    }

    @Test("One that throws leaves an object that may be missing as it is")
    func optionalSetting() {
        let account = StoredValue<Account?>(key: "account", default: nil, storage: .inMemory())
        account.set(Account("stored"))
        #expect(throws: Refused.self) {
            try account.update { account in
                account?.name = "never stored"
                throw Refused()
            }
        }
        #expect(account.wrappedValue?.name == "stored")
    }

    @Test("One that throws leaves a setting as it is, whether it is stored, and one that is stored changes no object that readers have")
    func setting() {
        let account = StoredValue(key: "account", default: Account("the default"), storage: .inMemory())
        for name in ["the default", "stored"] {
            if name == "stored" { account.set(Account(name)) }
            let before = account.wrappedValue
            #expect(throws: Refused.self) {
                try account.update { account in
                    account.name = "never stored"
                    throw Refused()
                }
            }
            #expect(account.wrappedValue.name == name)
            account.update { $0.name = "new" }
            #expect(account.wrappedValue.name == "new" && before.name == name)
            account.reset()
            #expect(account.wrappedValue.name == "the default")
        }
    }
}

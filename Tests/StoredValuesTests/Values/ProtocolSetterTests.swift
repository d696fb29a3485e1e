import StoredValues
import Testing

private protocol Themed {
    var theme: String { get set }
}

private protocol Authorised: AnyObject {
    var token: String? { get set }
}

@Suite("A setter that only a protocol leads to", .hangLimit)
struct ProtocolSetterTests {}

extension ProtocolSetterTests {
    private struct Page: Themed {
        @StoredValue(key: "theme") var theme = "light"

        init() {}
    }

    private final class Window: Themed {
        @StoredValue(key: "theme") var theme = "light"
    }

    @Test("It stores")
    func stores() {
        withTemporaryStorage {
            for var themed: any Themed in [Page(), Window()] as [any Themed] {
                themed.theme = "dark"
                #expect(Page().theme == "dark" && PreferencesFile.standard.keys == ["theme"])
                themed.theme += "er"
                #expect(Window().theme == "darker")
                Page().$theme.reset()
            }
        }
    }

    @Test("A secret's setter traps with a message that says what to call")
    func secret() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            final class Account: Authorised {
                @SecurelyStoredValue<String>(key: "token", keyring: InMemoryKeyring()) var token
            }
            let account: any Authorised = Account()
            account.token = "s3cret"
        }
        let sentence = try trapSentence(result)
        #expect(sentence.contains("key: \"token\"") && sentence.contains("try await $token.set(_:)") && !sentence.contains("s3cret"))
    }
}

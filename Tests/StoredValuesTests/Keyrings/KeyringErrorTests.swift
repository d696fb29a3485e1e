import StoredValues
import Testing

@Suite("KeyringError")
struct KeyringErrorTests {}

extension KeyringErrorTests {
    private static let all: [KeyringError] = [
        .notBuiltIn, .noSessionBus, .noSecretService, .cancelled, .locked, .dismissed, .timedOut(after: .seconds(5)),
        .noDefaultCollection, .tooLarge, .wrongKey, .damaged(path: "/a/b"), .accessDenied, .notDecodable, .notEncodable, .notStored, .readOnly,
        .other(domain: "g-io-error-quark", code: 7, message: "No such file"),
        .other(domain: "file", code: 28, message: "Could not replace \"/a/b\": no space left on device (ENOSPC). Free some space."),
    ]

    @Test("Every error says in one sentence what happened, and in another what to do", arguments: all)
    func sentences(_ error: KeyringError) {
        let text = error.description
        #expect(text.hasSuffix(".") && !text.contains("..") && text.first?.isUppercase == true)
        if case .other(let domain, let code, let message) = error {
            #expect(text.contains(message) && !text.contains(domain) && error.debugDescription.contains("error \(code) of \(domain)"))
        } else {
            #expect(text.contains(". ") || text.contains("; "), "says only one thing: \(text)")
        }
    }

    @Test("An error after a write does not hold the secret")
    func silence() async {
        let keyring = InMemoryKeyring()
        let id = SecretIdentifier(service: "s", account: "a")
        for fault in [InMemoryKeyring.Fault.locked, .gone, .dismissing] {
            keyring.inject(fault)
            await #expect {
                try await keyring.write(TestSecret.secret(), for: id, label: "l")
            } throws: { error in
                TestSecret.traces(in: "\(error) \(String(reflecting: error))") == []
            }
        }
    }
}

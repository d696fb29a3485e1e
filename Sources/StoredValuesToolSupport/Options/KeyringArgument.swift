package import ArgumentParser
package import StoredValues
import StoredValuesSupport

/// A keyring as typed, in the notation of `STORED_VALUES_KEYRING`.
package struct KeyringArgument: ExpressibleByArgument {
    package let keyring: any Keyring

    package init?(argument: String) {
        let isKnown = argument.isIdentical(to: "secret-service") || ["file:", "credentials:", "fleet:"].contains { argument.after(prefix: $0) != nil }
        guard isKnown else { return nil }
        keyring = SystemKeyring.choose(argument).keyring
    }

    package static var defaultCompletionKind: CompletionKind { .custom { _, _, _ in ["secret-service", "file:", "credentials:", "fleet:"].completions } }
}

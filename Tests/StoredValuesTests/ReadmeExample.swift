// swift-format-ignore-file
import StoredValues

actor Editor {
    enum Theme: String, Codable { case light, dark }

    @StoredValue(key: "theme") var theme = Theme.light
    @SecurelyStoredValue(key: "token") var token: String?

    func signIn(with newToken: String) async throws {
        $theme.set(.dark)               // in the file, seen by all readers
        try await $theme.flush()        // survives a power cut, or throws
        try await $token.set(newToken)  // in the keyring
    }

    func watch() async {  // the theme now, then every change
        for await theme in $theme.values { print(theme) }
    }
}

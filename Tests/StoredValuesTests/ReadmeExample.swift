// swift-format-ignore-file
import StoredValues

actor Editor {
    enum Theme: String, Codable { case light, dark }

    @StoredValue(key: "theme") var theme = Theme.light
    @SecurelyStoredValue(key: "token") var token: String?

    func signIn(with newToken: String) async throws {
        $theme.set(.dark)               // every reader sees it, and it is in the file
        try await $theme.flush()        // it survives a power cut, or this throws the reason
        try await $token.set(newToken)  // it is in the keyring
    }

    func watch() async {
        for await theme in $theme.values { print(theme) }  // the theme now, then every change
    }
}

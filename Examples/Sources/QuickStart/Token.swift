import StoredValues

/// A random token, for a run without --login.
func madeUpToken() -> String {
    let letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    return String((1...32).map { _ in letters.randomElement()! })
}

/// What the user enters; a terminal does not show it. Never take a token from an argument: others see those.
func askForToken() -> String? {
    do throws(KeyringError) {
        let token = try Secret.ask("  Your token (it will not be shown): ").text
        return token?.isEmpty == false ? token : nil
    } catch {
        print("  token: \(error)")
        return nil
    }
}

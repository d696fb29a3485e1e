import Glibc

/// A random token, for a run without --login.
func madeUpToken() -> String {
    let letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    return String((1...32).map { _ in letters.randomElement()! })
}

/// Reads a token from standard input; a terminal does not show it. Never take one from an argument: others see those.
func askForToken() -> String? {
    let question = "  Your token (it will not be shown): "
    let token = isatty(STDIN_FILENO) == 1 ? getpass(question).map { String(cString: $0) } : readLine()
    return token?.isEmpty == false ? token : nil
}

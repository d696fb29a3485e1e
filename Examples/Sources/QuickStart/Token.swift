import Glibc

/// A random token, for a run without --login.
func madeUpToken() -> String {
    let letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    return String((1...32).map { _ in letters.randomElement()! })
}

/// Reads a token from standard input; a terminal does not show it. Never take one from an argument: others see those.
func askForToken() -> String? {
    let isTerminal = isatty(STDIN_FILENO) == 1
    if isTerminal {
        print("  Your token (it will not be shown): ", terminator: "")
        fflush(nil)
    }
    let token = isTerminal ? withoutEcho { readLine() } : readLine()
    return token?.isEmpty == false ? token : nil
}

private func withoutEcho<Result>(_ body: () -> Result) -> Result {
    var before = termios()
    tcgetattr(STDIN_FILENO, &before)
    var silent = before
    silent.c_lflag &= ~tcflag_t(ECHO)
    silent.c_lflag |= tcflag_t(ECHONL)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
    defer { tcsetattr(STDIN_FILENO, TCSAFLUSH, &before) }
    return body()
}

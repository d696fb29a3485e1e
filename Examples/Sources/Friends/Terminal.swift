import Glibc

/// Reads a password from standard input; a terminal does not show it. Never take one from an argument: others see those.
func askForPassword() -> String? {
    let password = isatty(STDIN_FILENO) == 1 ? getpass("Password: ").map { String(cString: $0) } : readLine()
    return password?.isEmpty == false ? password : nil
}

/// Waits for Enter at a terminal; a pipe gets all pages at once.
func waitForReader() {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { return }
    print("(Enter for the next page)", terminator: "")
    fflush(nil)
    _ = readLine()
}

import Glibc

/// Waits for Enter at a terminal; a pipe gets all pages at once.
func waitForReader() {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { return }
    print("(Enter for the next page)", terminator: "")
    fflush(nil)
    _ = readLine()
}

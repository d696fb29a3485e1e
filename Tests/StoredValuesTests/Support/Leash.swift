/// What ends programs that do not read their input, such as servers, with the tests, however those end.
enum Leash {
    /// A launcher for `TestProcesses.start`. It is replaced by what it runs, which has its process number and so gets its signals;
    /// what that says of errors is added to the file at `log`.
    ///
    /// Beside the program a shell waits in its process group for the end of the input, which comes when the tests are gone, and
    /// then kills the group.
    static func launcher(log: String) -> [String] {
        let script = #"""
            exec 3<&0 2>>"$0"
            (while read -r line <&3; do :; done; kill -KILL 0) >/dev/null &
            exec "$@" </dev/null 3<&-
            """#
        return ["/bin/sh", "-c", script, log]
    }

    /// The end of the file at `log`, for an error to show.
    static func tail(ofLog log: String) -> String {
        let text = (try? contents(ofFile: log)) ?? ""
        return text.split(separator: "\n").suffix(12).joined(separator: "\n")
    }
}

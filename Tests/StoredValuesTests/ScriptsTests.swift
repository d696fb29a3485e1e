import Foundation
import Testing

@Suite("The scripts", .hangLimit)
struct ScriptsTests {
    /// Runs these lines of bash after Scripts/in-a-session, with their output in a pipe.
    private func piped(_ lines: String, in folder: String) async throws -> FinishedProgram {
        let script = "source \(DocumentedPage.root.path)/Scripts/in-a-session\n{ in_a_session \(lines); echo status $?; } 2>&1 | cat"
        return try await FinishedProgram.run(
            ["/bin/bash", "-c", script], environment: ["PATH": "/usr/bin:/bin", "HOME": folder], in: folder)
    }

    @Test("What a command leaves running when it crashes does not keep its output open", arguments: ["KILL", "SEGV"])
    func crash(signal: String) async throws {
        try await withTemporaryFolder { folder in
            // The second one as the tests start programs: at the head of a process group of its own.
            let run = try await piped("bash -c 'sleep 36000 & set -m; sleep 36000 & echo $! >\(folder)/pid; kill -\(signal) $$'", in: folder)
            #expect(run.output.contains("status \(signal == "KILL" ? 137 : 139)"), "\(run)")
            let pid = try contents(ofFile: "\(folder)/pid").trimmingCharacters(in: .newlines)
            try await eventually("it has ended") {
                let state = try? contents(ofFile: "/proc/\(pid)/stat").split(separator: ")").last?.first { $0 != " " }
                return state == nil || state == "Z"
            }
        }
    }

    @Test("The command's output and status are passed on", arguments: [0, 3])
    func status(status: Int) async throws {
        try await withTemporaryFolder { folder in
            let run = try await piped("bash -c 'echo out; echo err >&2; exit \(status)'", in: folder)
            #expect(run.output == "out\nerr\nstatus \(status)\n")
        }
    }
}

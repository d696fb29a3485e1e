import Foundation

/// The service of `Programs/wrong_service.py` on a bus of its own, and a process that uses it, which a wrong answer may end.
final class WrongService {
    let environment: [String: String]
    private let processes: TestProcesses
    private let service: TestProcess
    private var user: TestProcess?

    init(on desktop: PrivateDesktop, _ processes: TestProcesses) throws {
        self.processes = processes
        environment = desktop.environment.merging([
            "DISPLAY": ":none",  // so that `unlock()` asks
            "G_DEBUG": "fatal-criticals",  // so that what GLib only complains about ends the process, too
            "MALLOC_PERTURB_": "165", "SWIFT_BACKTRACE": "enable=no",
        ]) { $1 }
        service = try processes.start(
            command: ["/bin/sh", "-c", "exec \(Python.command("wrong_service.py"))"], environment: desktop.environment)
    }

    /// Begins anew, with wrong answers to these methods.
    func be(_ situation: String, wrong: [String: String] = [:]) async throws {
        let answers = wrong.map { " \($0)=\($1)" }.joined()
        guard try await tell("be \(situation)\(answers)") == "ready" else { throw NotReady() }
    }

    /// Tells the service to do something, and returns what it says of it.
    func tell(_ command: String) async throws -> String { try await service.ask(command) }

    /// The same, where it answers with words.
    func words(_ command: String) async throws -> [String] {
        try await tell(command).split(separator: " ").map(String.init)
    }

    /// What comes of `operation`, in one line, which begins with "crashed" where the process did not survive it.
    func use(_ operation: String, deadline: Int = 600) async throws -> String {
        let process = try user ?? processes.start("use-service", environment: environment)
        user = process
        // It may have ended after its last answer.
        if (try? process.send("\(operation) \(deadline)")) != nil, let line = try await process.line() { return line }
        user = nil
        return "crashed: \(try await process.end())"
    }

    /// What the process that uses it has logged.
    var logs: [String] { user?.logs ?? [] }

    private struct NotReady: Error {}
}

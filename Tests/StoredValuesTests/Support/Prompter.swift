import Foundation

/// What shows gnome-keyring's questions on a desktop: here a program that answers them as it is told.
final class Prompter: Sendable {
    enum Answer: String {
        /// The person types the password.
        case yes = "'yes' 'password'"
        /// The person closes the question.
        case no = "'no'"
        /// The person is not there.
        case wait = "'wait'"
        /// The person types the password when ``Prompter/answer()`` says so.
        case later = "'later' 'password'"
        /// The person closes the question when ``Prompter/answer()`` says so.
        case noLater = "'later'"
    }

    private let log: String
    private let process: Process
    private let desktop: PrivateDesktop

    /// Starts on `desktop`, in place of any before it.
    init(_ answer: Answer, on desktop: PrivateDesktop) async throws {
        self.desktop = desktop
        log = "\(desktop.folder)/prompter-\(UUID().uuidString)"
        process = try await PrivateDesktop.program("sh").start(
            ["-c", "exec \(Python.command("prompter.py")) \(answer.rawValue) > \(log)"], environment: desktop.environment
        )
        try desktop.watch(process)
        try await eventually("the prompter is ready") { count("ready") == 1 }
    }

    /// How many questions it was to show.
    var asked: Int { count("asked") }

    /// How many questions were taken away.
    var stopped: Int { count("stopped") }

    /// Has a question answered that waits for that.
    func answer() { kill(process.processIdentifier, SIGUSR1) }

    private func count(_ line: String) -> Int {
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""  // there is none at first
        return text.split(separator: "\n").filter { $0 == line }.count
    }

    func end() async throws {
        try await desktop.end(process)
    }
}

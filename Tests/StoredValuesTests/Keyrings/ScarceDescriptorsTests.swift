import Foundation
import Testing

/// GLib ends the process where it gets no file descriptor, and Dispatch where its first timer gets none.
@Suite(
    "With hardly a file descriptor left", .heavy, .hangLimit,
    .enabled(if: PrivateDesktop.isAvailable, "\(PrivateDesktop.skipReason)"))
struct ScarceDescriptorsTests {}

extension ScarceDescriptorsTests {
    /// One for all cases: starting one takes a while. Its guard ends it with the test process.
    private static let desktop = Task { try await PrivateDesktop() }

    /// It goes wrong only now and then, so each is tried several times.
    private static let rounds = ProcessInfo.processInfo.environment["CI"] == "true" ? 6 : 2

    @Test("Settings and secrets throw or work, no process ends by a signal, and all is well once there are some", arguments: 3...20)
    func scarce(limit: Int) async throws {
        let desktop = try await Self.desktop.value
        for round in 0..<Self.rounds { while try await !endsByItself(limit, "\(round)", on: desktop) {} }
    }

    /// Runs a process with so few files. False if Dispatch ended it: where work has waited for a thread for a second, it opens a file to
    /// see whether its threads run, and traps if it cannot (workqueue.c). That is the platform's fault, on a busy machine only.
    private func endsByItself(_ limit: Int, _ round: String, on desktop: PrivateDesktop) async throws -> Bool {
        try await withTemporaryFolder { folder in
            let processes = TestProcesses()
            let environment = ProcessInfo.processInfo.environment.merging([
                "DBUS_SESSION_BUS_ADDRESS": desktop.address, "SWIFT_BACKTRACE": "enable=yes,output-to=stdout,color=no,threads=crashed",
            ]) { $1 }
            let process = try processes.start("scarce", "\(limit)", "\(folder)/p.json", environment: environment)
            let lines = try await process.lines()
            if lines.contains(where: { $0.contains("_dispatch_workq_monitor_pools") }) { return false }
            #expect(lines.last == "done", "\(round): \(lines) \(process.logs)")
            let end = try await process.end()
            #expect(end == .exit(0), "\(round): \(lines)")
            // Nothing is left for a file: so few are even the process's own.
            if limit < 6 { #expect(lines.count { $0.contains("descriptor") || $0.contains("EMFILE") || $0.contains("open files") } >= 2, "\(lines)") }
            return true
        }
    }
}

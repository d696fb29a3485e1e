import Foundation
import Testing

/// A small file system in memory that only one process sees, and that goes with it.
enum PrivateMount {
    /// A launcher for `TestProcesses.start`: what it runs has `size` bytes at `folder`. Where nothing may be mounted, it ends
    /// the test's case and says why.
    static func launcher(at folder: String, size: Int) async throws -> [String] {
        guard let unshare = await unshare.value else {
            try SkippedCase.end(because: reason, isRequired: !isInstalled)
        }
        return unshare + mounting(folder, size)
    }

    private static let reason =
        isInstalled
        ? "this user may mount nothing, and has no user namespace to do it in (unshare -Urm)"
        : "not installed: unshare (util-linux)"
    private static let isInstalled = Program(named: "unshare") != nil

    /// The way to a mount namespace that works here: as root, or as the root of a user namespace of one's own.
    private static let unshare = Task {
        await offPool { () -> [String]? in
            guard let program = Program(named: "unshare")?.path else { return nil }
            let ways = [[program, "-m"], [program, "-Urm"]]
            return ways.first { way in
                let probe = try? ChildProcess(
                    way + mounting("/tmp", 65536) + ["/bin/true"], environment: ProcessInfo.processInfo.environment)
                return (try? probe?.waitForEnd(within: hangLimit)) == .exit(0)
            }
        }
    }

    private static func mounting(_ folder: String, _ size: Int) -> [String] {
        ["/bin/sh", "-c", #"mount -t tmpfs -o size=\#(size),mode=755 tmpfs "$0" && exec "$@""#, folder]
    }
}

#if Libsecret
    import Foundation
    import Testing

    /// A sandbox as Flatpak makes one for the application `id`: a root of its own with a `/.flatpak-info`, by bwrap, and a bus that
    /// lets through what its manifest says, by an xdg-dbus-proxy in the same sandbox, from which the portal learns the id.
    final class Sandbox: Sendable {
        let id: String
        private let folder: String
        private let desktop: PrivateDesktop
        private let information: String

        static let isAvailable = missing.isEmpty || ProcessInfo.processInfo.environment["CI"] == "true"

        /// What a skipped test says.
        static let skipReason = "not installed: \(missing.joined(separator: ", "))"

        private static let missing = ["bwrap", "xdg-dbus-proxy"].filter { Program(named: $0) == nil }

        /// - Parameter mayTalk: Whether the manifest lets the application talk to the Secret Service.
        init(_ id: String, on desktop: PrivateDesktop, mayTalk: Bool = false) async throws {
            self.id = id
            self.desktop = desktop
            folder = "\(desktop.folder)/sandbox-\(UUID().uuidString)"
            information = "\(folder)/flatpak-info"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let policy = mayTalk ? "\n[Session Bus Policy]\norg.freedesktop.secrets=talk\n" : ""
            // As Flatpak 1.14 writes it, shortened.
            try """
                [Application]
                name=\(id)
                runtime=runtime/org.freedesktop.Platform/x86_64/23.08

                [Instance]
                instance-id=1234567890
                session-bus-proxy=true

                [Context]
                shared=ipc;
                sockets=wayland;
                \(policy)
                """.write(toFile: information, atomically: false, encoding: .utf8)
            try await Self.requireOne(on: desktop)
            try await startProxy(PrivateDesktop.program("bwrap"), mayTalk)
        }

        /// Ends the test's case and says why where there can be none.
        static func requireOne(on desktop: PrivateDesktop) async throws {
            let probe = try await PrivateDesktop.program("bwrap").run(root + ["true"], environment: desktop.environment)
            guard probe.status == 0 else { try SkippedCase.end(because: "this user may make no sandbox (bwrap)", isRequired: true) }
        }

        private func startProxy(_ bwrap: Program, _ mayTalk: Bool) async throws {
            // The filter that Flatpak gives every application, and the manifest's.
            let filter = [
                "--filter", "--own=\(id).*", "--call=org.freedesktop.portal.*=*",
                "--broadcast=org.freedesktop.portal.*=@/org/freedesktop/portal/*",
            ]
            let socket = "\(folder)/bus", number = "\(folder)/proxy"
            // Not bwrap's process, which would leave the proxy behind. (`--die-with-parent` means the thread that starts it.)
            _ = try await bwrap.start(
                arguments + ["sh", "-c", #"echo $$ > "$0"; exec "$@""#, number, "xdg-dbus-proxy", desktop.address, socket] + filter
                    + (mayTalk ? ["--talk=org.freedesktop.secrets"] : []),
                environment: desktop.environment)
            try await eventually("the proxy listens") { FileManager.default.fileExists(atPath: socket) }
            let text = try String(contentsOfFile: number, encoding: .utf8)
            try desktop.watch(#require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines))))
        }

        /// What `TestProcesses.start` runs a program by, so that it is in the sandbox.
        var launcher: [String] { get throws { [try PrivateDesktop.program("bwrap").path] + arguments } }

        /// The variables of a program in it. The application's folder lies where Flatpak has it.
        var environment: [String: String] {
            desktop.environment.merging([
                "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder)/bus", "XDG_RUNTIME_DIR": folder, "XDG_DATA_HOME": "\(home)/data",
                "XDG_CONFIG_HOME": "\(home)/config",
            ]) { $1 }
        }

        /// The application's own folder.
        var home: String { "\(desktop.folder)/home/.var/app/\(id)" }

        private var arguments: [String] {
            Self.root + ["--bind", desktop.folder, desktop.folder, "--ro-bind", information, "/.flatpak-info"]
        }

        /// The system's folders, read only, in a root of its own: in the real one a file for `/.flatpak-info` would be made.
        private static let root: [String] = {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "/")) ?? []
            let folders = names.filter { !["proc", "dev"].contains($0) }.flatMap { name -> [String] in
                let path = "/\(name)"
                if let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) {
                    return ["--symlink", target, path]
                }
                var isFolder: ObjCBool = false
                return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
                    ? ["--ro-bind", path, path] : []
            }
            return folders + ["--proc", "/proc", "--dev", "/dev"]
        }()
    }
#endif

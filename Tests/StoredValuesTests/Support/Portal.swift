#if Libsecret
    import Foundation

    /// A Secret portal on a desktop: xdg-desktop-portal in front of that desktop's gnome-keyring, or a program in its place.
    final class Portal: Sendable {
        private let process: Process
        private let desktop: PrivateDesktop

        static let isAvailable = missing.isEmpty || ProcessInfo.processInfo.environment["CI"] == "true"

        /// What a skipped test says.
        static let skipReason = "not installed: \(missing.joined(separator: ", "))"

        private static let missing = ["xdg-desktop-portal", "gnome-keyring-daemon", "dbus-daemon", "gdbus"]
            .filter { Program(named: $0) == nil }

        /// Starts the real one. Without an implementation it runs, and knows no secrets.
        init(on desktop: PrivateDesktop, withImplementation: Bool = true) async throws {
            self.desktop = desktop
            // What Debian's gnome-keyring installs. The portal looks at no other folder where it is told of one.
            let description = """
                [portal]
                DBusName=org.freedesktop.secrets
                Interfaces=org.freedesktop.impl.portal.Secret;
                UseIn=gnome

                """
            let folder = "\(desktop.folder)/portals"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            if withImplementation {
                try description.write(toFile: "\(folder)/gnome-keyring.portal", atomically: false, encoding: .utf8)
            }
            let environment = ["XDG_DESKTOP_PORTAL_DIR": folder, "XDG_CURRENT_DESKTOP": "GNOME"]
            process = try await PrivateDesktop.program("xdg-desktop-portal")
                .start([], environment: desktop.environment.merging(environment) { $1 })
            try await begin()
        }

        /// Starts `Programs/wrong_portal.py`.
        init(_ manner: String, on desktop: PrivateDesktop) async throws {
            self.desktop = desktop
            process = try await PrivateDesktop.program("sh").start(
                ["-c", "exec \(Python.command("wrong_portal.py", manner)) > \(desktop.folder)/portal"],
                environment: desktop.environment)
            try await begin()
        }

        private func begin() async throws {
            try desktop.watch(process)
            try await eventually("the portal is on the bus") {
                try await desktop.busCall("NameHasOwner", "org.freedesktop.portal.Desktop")?.contains("true") == true
            }
        }

        /// How often the program in its place was asked.
        var asked: Int {
            let text = (try? String(contentsOfFile: "\(desktop.folder)/portal", encoding: .utf8)) ?? ""
            return text.split(separator: "\n").filter { $0 == "asked" }.count
        }

        /// Stops it where it is, or lets it go on.
        func signal(_ signal: Int32) { kill(process.processIdentifier, signal) }

        func end() async throws { try await desktop.end(process) }
    }
#endif

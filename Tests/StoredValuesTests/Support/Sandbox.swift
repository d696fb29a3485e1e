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

/// TestProcess as a Flatpak, installed for the user of a private desktop. Nothing is downloaded: its runtime is the
/// libraries that the program needs here.
enum FlatpakApplication {
    /// Installs it as `id`, with these further lines in its metadata.
    static func install(_ id: String, _ permissions: String, on desktop: PrivateDesktop) async throws {
        let (status, output) = try await desktop.shell(
            """
            set -eu
            exec 2>&1
            cd "$XDG_RUNTIME_DIR"
            runtime=org.example.Platform/$(flatpak --default-arch)/1
            if [ ! -e runtime ]; then
                mkdir -p runtime/usr/bin runtime/usr/lib runtime/usr/etc
                ln -s usr runtime/files
                for program in /bin/sh \(BuiltProgram.path("TestProcess")); do
                    cp -L "$program" runtime/usr/bin/
                    for library in $(ldd "$program" | grep -o '/[^ ]*'); do
                        case $library in
                        /lib*/ld-linux*) folder=runtime/usr$(dirname "$library") ;;
                        *) folder=runtime/usr/lib ;;
                        esac
                        mkdir -p "$folder"
                        [ -e "$folder/${library##*/}" ] || cp -L "$library" "$folder/"
                    done
                done
                printf '%s\\n' '[Runtime]' name=org.example.Platform runtime=$runtime sdk=$runtime \\
                    '[Environment]' LD_LIBRARY_PATH=/usr/lib >runtime/metadata
                flatpak build-export --runtime repository runtime 1
                flatpak --user remote-add --no-gpg-verify local repository
                flatpak --user install --noninteractive local org.example.Platform//1
            fi
            mkdir -p \(id)/files \(id)/export \(id)/var
            printf '%s\\n' '[Application]' name=\(id) runtime=$runtime sdk=$runtime command=TestProcess '\(permissions)' >\(id)/metadata
            flatpak build-export repository \(id) 1
            flatpak --user install --noninteractive local \(id)//1
            """)
        guard status == 0 else { throw NotInstalled(output: output) }
    }

    private struct NotInstalled: Error {
        let output: String
    }
}

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

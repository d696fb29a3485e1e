import Foundation

/// A screen, a home, a session bus and an open gnome-keyring of a test's own. They end when this object goes.
final class Desktop {
    /// What a program on this desktop finds in its environment.
    private(set) var environment: [String: String]
    private let keyring: Process
    private let screen: Process
    private let display: String
    private let lifeline = Pipe.forOneChild()

    init() async throws {
        let (displays, folder) = (Pipe.forOneChild(), Pipe.forOneChild())
        // It takes a display that is free, and says which.
        screen = try start(
            ["Xvfb", "-displayfd", "1", "-screen", "0", "700x900x24", "-nolisten", "tcp"], [:], output: displays, errors: FileHandle.nullDevice)
        // What a thread of Dispatch starts has most signals blocked, and would not end by another.
        let script = """
            source \(project)/Scripts/private-keyring
            trap 'exec 2>/dev/null; kill -KILL "${private_programs[@]}"; wait; rm -rf "$private_folder"' EXIT
            start_private_keyring && echo "$private_folder" && read -r
            """
        keyring = try start(["bash", "-c", script], [:], input: lifeline, output: folder)
        guard let number = await lines(of: displays).first(where: { _ in true }), let place = await lines(of: folder).first(where: { _ in true })
        else { throw ProgramFailed(description: "no screen, or no keyring") }
        display = number
        environment = [
            "DISPLAY": ":\(number)", "HOME": "\(place)/home", "XDG_RUNTIME_DIR": place, "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(place)/bus",
            "GDK_BACKEND": "x11", "G_DEBUG": "fatal-criticals", "GSK_RENDERER": "cairo", "GTK_A11Y": "none", "GSETTINGS_BACKEND": "memory", "LC_ALL": "C.UTF-8",
        ]
    }

    deinit {
        try? lifeline.fileHandleForWriting.close()
        keyring.waitUntilExit()
        kill(screen.processIdentifier, SIGKILL)
        screen.waitUntilExit()
        for left in ["/tmp/.X\(display)-lock", "/tmp/.X11-unix/X\(display)"] { try? FileManager.default.removeItem(atPath: left) }
    }

    var home: String { environment["HOME"] ?? "" }

    /// The settings of the window.
    var settings: String { "\(home)/.config/com.example.SettingsWindow/preferences.json" }

    /// The settings as they are in the file.
    var stored: [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: settings)))) as? [String: Any] ?? [:]
    }

    /// Stores the token as another program would.
    func storeToken(_ token: String) throws {
        try run(["secret-tool", "store", "--label=Token", "service", "com.example.SettingsWindow", "account", "token"], environment, input: token)
    }

    func lockKeyring() throws {
        try run(
            [
                "gdbus", "call", "--session", "--dest=org.freedesktop.secrets", "--object-path=/org/freedesktop/secrets",
                "--method=org.freedesktop.Secret.Service.Lock", "['/org/freedesktop/secrets/collection/login']",
            ], environment)
    }

    /// A program that answers gnome-keyring's question as the person would who knows the password. Kill it in the end.
    func answerQuestions() async throws -> Process {
        let output = Pipe.forOneChild()
        let python = "\(project)/.build/python/bin/python3"
        let prompter = try start([python, "\(project)/Tests/Programs/prompter.py", "yes", "only for this run"], environment, output: output)
        guard await lines(of: output).contains("ready") else { throw ProgramFailed(description: "no prompter") }
        return prompter
    }
}

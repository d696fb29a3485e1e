import Foundation

extension PrivateDesktop {
    /// Where gnome-keyring keeps its collections.
    var keyrings: String { "\(folder)/home/.local/share/keyrings" }

    /// Starts gnome-keyring, unlocked by `password`, or as it was left on the disk without one.
    func startGnomeKeyring(password: String?) async throws -> Process {
        try await Self.program("gnome-keyring-daemon").start(
            (password == nil ? [] : ["--unlock"]) + ["--components=secrets", "--foreground"], environment: environment,
            input: password ?? ""
        )
    }

    /// Unlocks the running gnome-keyring as the login does, through its own socket: no question is asked.
    func unlockGnomeKeyring() async throws {
        let reply = try await LoginSocket.unlock(at: "\(folder)/keyring/control", password: Self.password)
        guard reply == 0 else { throw NotUnlocked() }
    }

    struct NotUnlocked: Error {}
}

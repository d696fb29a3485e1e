import Foundation
import Testing

/// A program that provides the Secret Service, and how tests start and handle it.
enum KeyringProgram: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case gnomeKeyring = "gnome-keyring"
    case kwallet = "KWallet"
    case keePassXC = "KeePassXC"

    var testDescription: String { rawValue }

    /// The path of the collection that tests use.
    var collection: String {
        let name =
            switch self {
            case .gnomeKeyring: "login"
            case .kwallet: "kdewallet"
            case .keePassXC: "passwords"
            }
        return "/org/freedesktop/secrets/collection/\(name)"
    }

    private var programs: [String] {
        switch self {
        case .gnomeKeyring: ["gnome-keyring-daemon"]
        case .kwallet: ["kwalletd5"]
        case .keePassXC: ["keepassxc", "keepassxc-cli"]
        }
    }

    private var missing: [String] {
        (["dbus-daemon", "secret-tool", "gdbus"] + programs).filter { Program(named: $0) == nil }
    }

    /// False where a program is missing and this is not continuous integration: there it is a failure.
    var isAvailable: Bool { missing.isEmpty || ProcessInfo.processInfo.environment["CI"] == "true" }

    /// What a skipped test says.
    var skipReason: String { "not installed: \(missing.joined(separator: ", "))" }
}

import FoundationEssentials
import StoredValuesFiles
import StoredValuesSupport

/// The Flatpak that this process runs in, described by a file in the root of the sandbox (flatpak-metadata(5)).
struct Flatpak: Hashable {
    /// The application id of its manifest.
    let id: String
    /// Whether its manifest, or the user's override, lets it talk to the Secret Service.
    let mayUseSecretService: Bool

    /// The path of that file. It does not exist outside a Flatpak.
    static let information = "/.flatpak-info"

    /// Nil if there is no file at `path`. An unreadable one counts as a sandbox without permissions.
    init?(at path: String = Flatpak.information) {
        guard Self.exists(path, as: .regular) else { return nil }
        self.init(FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? "")
    }

    /// The Flatpak described by `text`.
    init(_ text: String) {
        var values: [String: String] = [:], group = ""
        for line in text.parts(separatedBy: "\n") {
            if line.begins(with: "["), line.utf8.last == UInt8(ascii: "]") {
                group = String(Substring(line.utf8.dropFirst().dropLast()))
                continue
            }
            // Spaces around the name and the value are ignored.
            let parts = line.parts(separatedBy: "=").map { $0.parts(separatedBy: " ").joined(separator: " ") }
            if parts.count == 2 { values["\(group)/\(parts[0])"] = parts[1] }
        }
        id = values["Application/name"] ?? ""
        // The real session bus, without a filter.
        let isWholeBusOpen = values["Context/sockets"]?.parts(separatedBy: ";").contains { $0.isIdentical(to: "session-bus") } ?? false
        let rules = Self.rulesForSecretService.compactMap { values["Session Bus Policy/\($0)"] }
        mayUseSecretService = isWholeBusOpen || rules.contains { $0.isIdentical(to: "talk") || $0.isIdentical(to: "own") }
    }

    /// A rule may end in `.*`, which means the name itself and all below it.
    private static let rulesForSecretService = [
        "org.freedesktop.secrets", "org.freedesktop.secrets.*", "org.freedesktop.*", "org.*",
    ]
}

extension Flatpak {
    /// The system's keyring in this sandbox. It depends on the manifest, never on whether a service answers.
    var choice: SystemKeyring.Choice {
        let permission = "org.freedesktop.secrets"
        let (keyring, why): (any Keyring, String) =
            switch secretsFile {
            case let path? where Self.exists(path):
                (EncryptedFileKeyring(path: path, key: .portal), "whose secrets are in that file already.")
            case _ where mayUseSecretService: (SecretServiceKeyring(), "whose manifest lets it talk to \(permission).")
            case let path?: (EncryptedFileKeyring(path: path, key: .portal), "whose manifest does not let it talk to \(permission).")
            case nil: (SecretServiceKeyring(), "which has no data folder: neither XDG_DATA_HOME nor HOME is set.")
            }
        return SystemKeyring.Choice(keyring: keyring, reason: "This is the Flatpak \(id), \(why)")
    }

    /// Whether there is a file, of this kind if one is given; true if that is unknown.
    private static func exists(_ path: String, as kind: FileKind? = nil) -> Bool {
        do {
            let found = try FileOperations.posix.status(at: path, followingLinks: true).kind
            return found == kind ?? found
        } catch {
            return error != .noEntry
        }
    }

    /// The file of this application's secrets, in `$XDG_DATA_HOME`, which Flatpak sets to `~/.var/app/<id>/data`. Nil if that and the
    /// home folder are unknown.
    private var secretsFile: String? {
        func folder(_ variable: String) -> String? {
            (try? environmentVariable(variable)).flatMap { $0.begins(with: "/") ? $0 : nil }
        }
        // Other folders in the home may be removed with the sandbox.
        let data = folder("XDG_DATA_HOME") ?? folder("HOME").map { "\($0)/.var/app/\(id)/data" }
        return data.map { "\($0)/\(StorageSystem.applicationID)/secrets" }
    }
}

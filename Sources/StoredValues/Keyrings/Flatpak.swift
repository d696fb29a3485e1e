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

    /// The Flatpak described by the file at `path`, or nil if there is no such file. An unreadable file counts as a sandbox
    /// without permissions.
    init?(at path: String = Flatpak.information) {
        do {
            guard try POSIXFileOperations().status(at: path, followingLinks: true).kind == .regular else { return nil }
        } catch {
            guard error != .noEntry else { return nil }
        }
        self.init(FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? "")
    }

    /// The Flatpak described by `text`.
    init(_ text: String) {
        var id = "", isWholeBusOpen = false, isNameOpen = false
        var group: Substring = ""
        for line in text.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("["), line.hasSuffix("]") {
                group = line.dropFirst().dropLast()
                continue
            }
            let parts = line.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let (key, value) = (Self.trimmed(parts[0]), Self.trimmed(parts[1]))
            switch (group, key) {
            case ("Application", "name"): id = String(value)
            // The real session bus, without a filter.
            case ("Context", "sockets"): isWholeBusOpen = value.split(separator: ";").contains("session-bus")
            case ("Session Bus Policy", _) where Self.covers(key, "org.freedesktop.secrets"):
                isNameOpen = isNameOpen || value == "talk" || value == "own"
            default: break
            }
        }
        self.id = id
        mayUseSecretService = isWholeBusOpen || isNameOpen
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return text
    }

    /// Whether the rule `rule` applies to `name`: it may end in `.*`, which means the name itself and all below it.
    private static func covers(_ rule: Substring, _ name: String) -> Bool {
        if rule == name { return true }
        guard rule.hasSuffix(".*") else { return false }
        let above = rule.dropLast(2)
        return name == above || name.hasPrefix("\(above).")
    }
}

extension Flatpak {
    /// The file of this application's secrets, in its data folder `$XDG_DATA_HOME`, which Flatpak sets to
    /// `~/.var/app/<id>/data`. Nil if neither that nor the home folder is known.
    var secretsFile: String? {
        func folder(_ variable: String) -> String? {
            (try? environmentVariable(variable)).flatMap { $0.begins(with: "/") ? $0 : nil }
        }
        // Other folders in the home may be removed with the sandbox.
        let data = folder("XDG_DATA_HOME") ?? folder("HOME").map { "\($0)/.var/app/\(id)/data" }
        return data.map { "\($0)/\(StorageSystem.applicationID)/secrets" }
    }
}

import FoundationEssentials
import StoredValuesFiles
import StoredValuesSupport

/// The Flatpak that this process runs in, as Flatpak describes it in a file in the root of the sandbox (flatpak-metadata(5)).
struct Flatpak: Hashable {
    /// The application id of its manifest.
    let id: String
    /// Whether its manifest, or what the user has overridden there, lets it talk to the Secret Service.
    let mayUseSecretService: Bool

    /// Where that file lies. Who is in no Flatpak has none.
    static let information = "/.flatpak-info"

    /// The one that `path` describes, or nil where there is no such file. One that cannot be read describes a sandbox that
    /// allows nothing.
    init?(at path: String = Flatpak.information) {
        do {
            guard try POSIXFileOperations().status(at: path, followingLinks: true).kind == .regular else { return nil }
        } catch {
            guard error != .noEntry else { return nil }
        }
        self.init(FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? "")
    }

    /// The one that `text` describes.
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
            // The real session bus, with no filter before it.
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

    /// Whether a rule for `rule` is one for `name`: it may end in `.*`, which stands for all below and the name itself.
    private static func covers(_ rule: Substring, _ name: String) -> Bool {
        if rule == name { return true }
        guard rule.hasSuffix(".*") else { return false }
        let above = rule.dropLast(2)
        return name == above || name.hasPrefix("\(above).")
    }
}

extension Flatpak {
    /// The file of the secrets of the application that runs here: in its own data folder, `$XDG_DATA_HOME`, which Flatpak sets to
    /// `~/.var/app/<id>/data`. Nil where neither that nor the home is known.
    var secretsFile: String? {
        func folder(_ variable: String) -> String? {
            (try? environmentVariable(variable)).flatMap { $0.begins(with: "/") ? $0 : nil }
        }
        // What lies elsewhere in the home may be gone when the sandbox is.
        let data = folder("XDG_DATA_HOME") ?? folder("HOME").map { "\($0)/.var/app/\(id)/data" }
        return data.map { "\($0)/\(StorageSystem.applicationID)/secrets" }
    }
}

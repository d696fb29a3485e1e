import FoundationEssentials
import StoredValues
import StoredValuesSupport
import StoredValuesToolSupport

/// Checks the files of settings.
enum SettingsDoctor {
    /// - Parameter application: The id of the program, if the file is named by that.
    static func findings(_ storage: PreferencesFile, of application: String?) -> [Finding] {
        do {
            let inspections = try storage.inspect()
            guard let file = inspections.first else { return [] }
            let ofFlatpaks = application.map { flatpaks($0, except: file.path) } ?? []
            return ownFile(file) + inspections.dropFirst().map(layer) + FleetDoctor.findings(storage, inspections, of: application)
                + ofFlatpaks
        } catch {
            return [Finding(.settings, .problem, error.description)]
        }
    }

    private static func ownFile(_ file: PreferencesInspection) -> [Finding] {
        var findings: [Finding] = []
        func add(_ kind: Finding.Kind, _ text: String) { findings.append(Finding(.settings, kind, text)) }
        switch file.content {
        case .missing:
            add(.fine, "\(file.path) does not exist yet: programs use defaults, and create it when a setting is first changed.")
        case .keys(let count): add(.fine, "\(file.path) holds \(keys(count)) and has mode \(file.modeText).")
        case .unreadable(let sentence): add(.problem, sentence)
        case .broken(let why):
            add(.problem, "\(file.path) is not JSON: \(why). Programs use the last good values. Correct it with: stored-values edit")
        }
        if let mode = file.mode, mode & 0o022 != 0 {
            add(.problem, "Other users can change \(file.path), which has mode \(file.modeText). Forbid it: chmod go-w \(file.path)")
        }
        let folder = nearestFolder(of: file.path)
        if !System.mayWrite(folder) {
            add(.problem, "Settings cannot be changed: you have no permission to write in \(folder). Check its owner and mode: ls -ld \(folder)")
        }
        for name in namesBeside(file.path, containing: ".rejected-") {
            add(.note, "A settings file that was not JSON was set aside as \(name). Recover what you need from it, then delete it.")
        }
        return findings
    }

    private static func layer(_ layer: PreferencesInspection) -> Finding {
        let isFleet = layer.source == .fleet
        let values = isFleet ? "settings of the fleet" : "system-wide defaults"
        switch layer.content {
        case .missing: return Finding(.settings, .fine, "\(layer.path) does not exist: no \(values) come from it.")
        case .keys(let count): return Finding(.settings, .fine, "\(layer.path) has \(values) for \(keys(count)) and mode \(layer.modeText).")
        case .broken(let why):
            let advice = isFleet ? "Restart the agent, which writes the file anew." : "Correct the file."
            return Finding(.settings, .problem, "The \(values) in \(layer.path) are not used: they are not JSON: \(why). \(advice)")
        case .unreadable(let sentence): return Finding(.settings, .problem, "The \(values) are not used. \(sentence)")
        }
    }

    /// The files in which Flatpaks keep settings of the program `id`: each has a configuration folder of its own.
    private static func flatpaks(_ id: String, except path: String) -> [Finding] {
        guard let home = try? System.environment("HOME"), home.begins(with: "/") else { return [] }
        let folder = "\(home)/.var/app"
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
        return names.compactMap { name in
            let file = "\(folder)/\(name)/config/\(id)/preferences.json"
            guard file != path, FileManager.default.fileExists(atPath: file) else { return nil }
            let advice = "Look at it with: stored-values doctor --file \(file)"
            return Finding(.settings, .note, "The Flatpak \(name) keeps settings of its own in \(file). \(advice)")
        }
    }

    static func keys(_ count: Int) -> String { "\(count) \(count == 1 ? "key" : "keys")" }

    /// The folder that the file is in, or would be created in.
    private static func nearestFolder(of path: String) -> String {
        var folder = path
        repeat {
            folder = folder.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(folder[..<$0]) } ?? ""
        } while !folder.isEmpty && !FileManager.default.fileExists(atPath: folder)
        return folder.isEmpty ? "/" : folder
    }

    private static func namesBeside(_ path: String, containing part: String) -> [String] {
        let folder = nearestFolder(of: path)
        let name = path.parts(separatedBy: "/").last ?? path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.after(prefix: name + part) != nil }.sorted().map { "\(folder)/\($0)" }
    }
}

extension PreferencesInspection {
    /// The mode in the notation of chmod(1).
    var modeText: String {
        let digits = String(mode ?? 0, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

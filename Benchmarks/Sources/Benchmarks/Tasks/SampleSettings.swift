import Foundation
import StoredValues

/// The struct of four fields.
struct Window: Codable, Sendable, Equatable {
    var width = 800
    var height = 600
    var scale = 1.5
    var isFullScreen = false
}

/// A preferences file with so many keys, as this library writes it: bools, numbers, texts and small objects in turn, and
/// `autosave`, `fontSize` and `window` besides.
struct SampleSettings {
    let keys: [String]

    init(count: Int) {
        keys = (0..<max(0, count - 3)).map { String(format: "setting.%06d", $0) }
    }

    var text: [UInt8] {
        var members = keys.enumerated().map { index, key in
            let value =
                switch index % 4 {
                case 0: "true"
                case 1: "\(index)"
                case 2: "\"the value number \(index)\""
                default: "{\n    \"enabled\": false,\n    \"level\": \(index)\n  }"
                }
            return "  \"\(key)\": \(value)"
        }
        members += [
            "  \"autosave\": true", "  \"fontSize\": 14",
            "  \"window\": {\n    \"height\": 600,\n    \"isFullScreen\": false,\n    \"scale\": 1.5,\n    \"width\": 800\n  }",
        ]
        return Array(("{\n" + members.sorted().joined(separator: ",\n") + "\n}\n").utf8)
    }

    /// Writes it as `preferences.json` into a new folder `name`.
    func write(_ name: String, in temporary: TemporaryFolder) throws -> BareFile {
        let file = BareFile(folder: try temporary.folder(name), name: "preferences.json")
        try file.replace(with: text, durably: false)  // with the mode that the library gives to new files
        return file
    }
}

extension BareFile {
    var preferences: PreferencesFile { PreferencesFile(path: path) }
}

/// The user defaults called `name`, with as many keys as the settings have.
@discardableResult
func userDefaults(_ name: String, count: Int = 50) throws -> UserDefaults {
    var values: [String: Any] = [
        "autosave": true, "fontSize": 14, "text": String(repeating: "text", count: 10),
        "window": try JSONEncoder().encode(Window()),
    ]
    for (index, key) in SampleSettings(count: count).keys.enumerated() {
        switch index % 4 {
        case 0: values[key] = true
        case 1: values[key] = index
        case 2: values[key] = "the value number \(index)"
        default: values[key] = ["enabled": false, "level": index] as [String: Any]
        }
    }
    guard let defaults = UserDefaults(suiteName: name) else { throw Failure(description: "no user defaults") }
    defaults.setPersistentDomain(values, forName: name)
    _ = defaults.synchronize()
    guard defaults.bool(forKey: "autosave") else { throw Failure(description: "the user defaults do not store") }
    return defaults
}

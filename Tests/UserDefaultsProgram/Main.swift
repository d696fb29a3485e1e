import Foundation
import StoredValues

/// A program as it is before and after it came to StoredValues: keeps settings in UserDefaults, imports them, and prints what
/// became of them. A program of its own, as Foundation looks at the environment once, when a process starts.
///
///     UserDefaultsProgram [suite]
@main
struct Main {
    static func main() async throws {
        let suite = CommandLine.arguments.dropFirst().first
        guard let defaults = suite.map({ UserDefaults(suiteName: $0) }) ?? .standard else { exit(1) }
        defaults.set("dark", forKey: "theme")
        defaults.set(Data(#"{"value":{"width":640}}"#.utf8), forKey: "window")
        defaults.set(Date(timeIntervalSince1970: 0), forKey: "opened")
        guard defaults.synchronize() else { exit(2) }
        print(try PreferencesFile.standard.importUserDefaults(named: suite))
        print(StoredValue(key: "window", default: ["width": 0]).wrappedValue)
        print(StoredValue(key: "opened", default: Date.distantPast).wrappedValue.timeIntervalSince1970)
        try await PreferencesFile.standard.flush()
    }
}

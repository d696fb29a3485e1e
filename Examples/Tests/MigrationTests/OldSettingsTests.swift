import StoredValues
import Testing

@testable import Migration

extension StoredKey where Item == Int {
    fileprivate static let port = StoredKey("port", default: 80, in: 1...65535)
}

extension StoredKey where Item == String {
    fileprivate static let host = StoredKey("host", default: "localhost")
}

/// Settings from files of other formats.
struct OldSettingsTests {
    @Test("An INI file is imported, once, and what is refused is said")
    func ini() {
        let old = OldSettings(ini: "; comment\n[server]\nhost = 0123\n port=8080 \n[colours]\ntheme = dark\n")
        let keys = ["server.host": AnyStoredKey(.host), "server.port": AnyStoredKey(.port)]
        withTemporaryStorage {
            let refused = old.import(into: .standard, keys)
            #expect(refused == ["colours.theme: there is no such setting"])
            #expect(PreferencesFile.standard[.host] == "0123" && PreferencesFile.standard[.port] == 8080)
            StoredValue(.port).set(1)
            _ = old.import(into: .standard, keys)
            #expect(PreferencesFile.standard[.port] == 1)
        }
    }

    @Test("A dotenv file is imported, with quotes and without, and a port that is none is refused")
    func dotenv() {
        let old = OldSettings(dotenv: "# comment\nexport HOST=\"two words\"\nPORT='many'\n\nno line\n")
        withTemporaryStorage {
            let refused = old.import(into: .standard, ["HOST": AnyStoredKey(.host), "PORT": AnyStoredKey(.port)])
            #expect(PreferencesFile.standard[.host] == "two words" && PreferencesFile.standard[.port] == 80)
            #expect(refused.count == 1 && refused[0].hasPrefix("PORT: ") && refused[0].contains("a whole number from 1 to 65535"))
        }
    }
}

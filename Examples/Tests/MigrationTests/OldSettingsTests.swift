import Foundation
import StoredValues
import Testing

@testable import Migration

/// Settings from files of other formats.
struct OldSettingsTests {
    @Test("An INI file is imported, once, and what is refused is said")
    func ini() async {
        let old = OldSettings(ini: "; comment\n[server]\nhost = 0123\n port=8080 \n[colours]\ntheme = dark\n")
        await withTemporaryStorage {
            let refused = await old.import(into: .standard)
            #expect(refused == ["colours.theme: there is no such setting"])
            #expect(PreferencesFile.standard[.host] == "0123" && PreferencesFile.standard[.port] == 8080)
            StoredValue(.port).set(1)
            _ = await old.import(into: .standard)
            #expect(PreferencesFile.standard[.port] == 1)
        }
    }

    @Test("What the user has reset is not imported again, from no file; what was refused is, once it is corrected")
    func reset() async {
        let ini = OldSettings(ini: "[server]\nhost = example.com\n")
        await withTemporaryStorage {
            for old in [ini, OldSettings(dotenv: "HOST=example.org\nPORT=many\n")] { _ = await old.import(into: .standard) }
            #expect(PreferencesFile.standard[.host] == "example.com")
            StoredValue(.host).reset()
            for old in [ini, OldSettings(dotenv: "HOST=example.org\nPORT=8080\n")] { _ = await old.import(into: .standard) }
            #expect(PreferencesFile.standard[.host] == "localhost" && PreferencesFile.standard[.port] == 8080)
        }
    }

    @Test("A file that is not UTF-8 is not taken for none")
    func latin1() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try OldSettings.all(in: folder).isEmpty)
        try Data("[server]\nhost = caf".utf8 + [0xE9]).write(to: folder.appendingPathComponent("settings.ini"))
        #expect(throws: CocoaError.self) { try OldSettings.all(in: folder) }
    }

    @Test("Settings that could not be written are not taken for imported")
    func notSaved() async {
        let file = PreferencesFile(path: "/dev/null/preferences.json")  // no folder, not even for root
        let refused = await OldSettings(dotenv: "PORT=8080\n").import(into: file)
        #expect(file[.port] == 8080)
        #expect(refused.count == 1 && refused.first?.contains("/dev/null/preferences.json") == true, "\(refused)")
    }

    @Test("A dotenv file is imported, with quotes and without, and a port that is none is refused")
    func dotenv() async {
        let old = OldSettings(dotenv: "# comment\nexport HOST=\"two words\"\nPORT='many'\n\nno line\n")
        await withTemporaryStorage {
            let refused = await old.import(into: .standard)
            #expect(PreferencesFile.standard[.host] == "two words" && PreferencesFile.standard[.port] == 80)
            #expect(refused.count == 1 && refused[0].hasPrefix("PORT: ") && refused[0].contains("a whole number from 1 to 65535"))
        }
    }
}

import Foundation
import StoredValues
import Testing

/// The program on a desktop of its own, used by a mouse and a keyboard. Each waits for what the window shows; the limit ends what hangs.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct SettingsWindowTests {
    @Test("What a person sets is in the file, by each kind of control; reset and undo take it back")
    func persons() async throws {
        let desktop = try await Desktop()
        try desktop.storeToken("\(secretMark) token")
        let window = try Window(on: desktop)
        try await window.shows("author", "Ada", "The default")
        #expect(window.frame?.undo == nil && window.frame?.rows["author"]?.reset == nil, "there is nothing to take back")

        try window.click(window.frame?.rows["savesByItself"]?.control)
        try await window.shows("savesByItself", "false", "Your own")
        #expect(desktop.stored["savesByItself"] as? Bool == false)

        try window.type("20", into: "fontSize")
        try await window.shows("fontSize", "20", "Your own")
        #expect(desktop.stored["fontSize"] as? Int == 20)

        try window.click(window.frame?.rows["theme"]?.control)
        try window.press("Down", "Down", "Return")
        try await window.shows("theme", "dark", "Your own")
        #expect(desktop.stored["theme"] as? String == "dark")

        try window.type("Grace Hopper", into: "author")
        try await window.shows("author", "Grace Hopper", "Your own")
        #expect(desktop.stored["author"] as? String == "Grace Hopper")

        try window.type("", into: "author")
        try await window.shows("why it is refused") { $0.rows["author"]?.error == "Not stored: an author has a name." }
        #expect(desktop.stored["author"] as? String == "Grace Hopper")
        try await window.shows("the token") { $0.token.subtitle == "Stored in the keyring" }
        let picture = ProcessInfo.processInfo.environment["SETTINGS_WINDOW_PICTURE"] ?? "\(desktop.home)/picture.png"
        #expect(try window.takePicture(picture) > 100)

        try window.click(window.frame?.undo)
        try await window.shows("author", "Ada", "The default")
        #expect(desktop.stored["author"] == nil)
        #expect(window.frame?.rows["author"]?.error == nil && window.frame?.undo == nil)

        try window.click(window.frame?.rows["fontSize"]?.reset)
        try await window.shows("fontSize", "12", "The default")
        #expect(desktop.stored["fontSize"] == nil)
        try window.click(window.frame?.undo)
        try await window.shows("fontSize", "20", "Your own")
        #expect(desktop.stored["fontSize"] as? Int == 20)

        try window.click(window.frame?.rows["savesByItself"]?.control)
        #expect(try await window.close() == 0)
        #expect(desktop.stored["savesByItself"] as? Bool == true, "what was clicked last is stored before the program ends")
    }

    @Test("A text that is being typed when the window closes is stored before the program ends")
    func closing() async throws {
        let desktop = try await Desktop()
        let window = try Window(on: desktop)
        try await window.shows("author", "Ada", "The default")
        try window.type("Grace", into: "author", thenPress: "ctrl+w")
        #expect(await window.end() == 0)
        #expect(desktop.stored["author"] as? String == "Grace")
    }

    @Test("What another process and an editor change is shown, and is not taken back by undo")
    func others() async throws {
        let desktop = try await Desktop()
        let window = try Window(on: desktop)
        try await window.shows("fontSize", "12", "The default")
        try window.type("20", into: "fontSize")
        try await window.shows("undo") { $0.undo != nil && $0.rows["fontSize"]?.text == "20" }

        let key = StoredValue(key: "fontSize", default: 0, storage: PreferencesFile(path: desktop.settings))  // in this process
        key.set(30)
        try await window.shows("fontSize", "30", "Your own")
        #expect(window.frame?.undo == nil)

        try #"{"theme": "light", "author": "Edith", "fontSize": "large"}"#.write(toFile: desktop.settings, atomically: true, encoding: .utf8)
        try await window.shows("theme", "light", "Your own")
        try await window.shows("author", "Edith", "Your own")
        try await window.shows("what is broken") { $0.rows["fontSize"]?.subtitle.contains("keeps its last good value") == true }
        #expect(try await window.close() == 0)
    }

    @Test("A value of the environment cannot be changed")
    func environment() async throws {
        let window = try await Window(on: Desktop(), ["WINDOW_FONT_SIZE": "9"])
        try await window.shows("fontSize", "9", "From the environment, read-only")
        #expect(window.frame?.rows["fontSize"]?.control == nil && window.frame?.rows["fontSize"]?.reset == nil)
        #expect(window.frame?.rows["theme"]?.control != nil)
        #expect(try await window.close() == 0)
    }

    @Test("In a folder that cannot be written, nothing can be changed, and the values are shown")
    func readOnly() async throws {
        let desktop = try await Desktop()
        let folder = URL(fileURLWithPath: desktop.settings).deletingLastPathComponent().path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try #"{"author": "Edith"}"#.write(toFile: desktop.settings, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder) }
        // Root may write everywhere but without this capability.
        let launcher = getuid() == 0 ? ["setpriv", "--bounding-set=-dac_override"] : []
        let window = try Window(on: desktop, launcher: launcher)
        try await window.shows("author", "Edith", "Your own, read-only")
        for row in try #require(window.frame).rows.values { #expect(row.control == nil && row.reset == nil) }
        #expect(try await window.close() == 0)
    }

    @Test("The token is absent, stored or locked, as others make it; a button unlocks the keyring, and nothing shows the token")
    func token() async throws {
        let desktop = try await Desktop()
        let window = try Window(on: desktop)
        try await window.shows("that there is none") { $0.token.subtitle == "None is stored" }
        try desktop.storeToken("\(secretMark) token")
        try await window.shows("that there is one") { $0.token.subtitle == "Stored in the keyring" && $0.token.unlock == nil }
        try desktop.lockKeyring()
        try await window.shows("that it is locked") { $0.token.subtitle == "The keyring is locked" && $0.token.unlock != nil }
        let person = try await desktop.answerQuestions()
        defer { kill(person.processIdentifier, SIGKILL) }
        try window.click(window.frame?.token.unlock)
        try await window.shows("that it is there again") { $0.token.subtitle == "Stored in the keyring" && $0.token.unlock == nil }
        #expect(try await window.close() == 0)
    }

    @Test("Without a screen it says so and ends")
    func withoutScreen() async throws {
        let window = try await Window(on: Desktop(), ["DISPLAY": ":4711"])
        #expect(await window.end() == 1)
    }
}

import ExampleProcess
import Foundation
import StoredValues
import Testing

@testable import Migration

/// Each shape that the settings have had, under each name.
struct AppearanceTests {
    let home: TemporaryHome

    init() throws {
        home = try TemporaryHome()
    }

    static let large = Appearance(font: .init(size: 18), theme: .dark)

    @Test("What each version wrote is read", arguments: [
        (#"{"appearance": {"size": "large", "dark": true}}"#, large),
        (#"{"appearance": {"fontSize": 18, "dark": true}, "$versions": {"appearance": 1}}"#, large),
        (
            #"{"appearance": {"font": {"family": "Serif", "size": 9}, "theme": "light"}, "$versions": {"appearance": 2}}"#,
            Appearance(font: .init(family: "Serif", size: 9), theme: .light)
        ),
        (#"{"look": {"size": "large", "dark": true}}"#, large),
        (#"{"look": {"fontSize": 18, "dark": true}, "$versions": {"look": 1}}"#, large),
        (#"{"look": {"size": "small"}, "appearance": {"size": "large", "dark": true}}"#, large),
        (#"{"appearance": {}}"#, Appearance()),
        (#"{}"#, Appearance()),
    ])
    func versions(text: String, expected: Appearance) throws {
        let settings = try settings(text)
        #expect(settings.appearance == expected)
        #expect(settings.$appearance.repairs.isEmpty)
    }

    @Test("A change writes the new shape under the new name, once and for all")
    func change() async throws {
        let settings = try settings(#"{"look": {"size": "large", "dark": true}, "other": 1}"#)
        settings.$appearance.set(\.font.family, to: "Serif")
        try await settings.$appearance.flush()

        let file = try members()
        #expect(file.keys.sorted() == ["$versions", "appearance", "other"])
        #expect(file["$versions"] as? [String: Int] == ["appearance": 2])
        let appearance = try #require(file["appearance"] as? [String: Any])
        #expect(appearance.keys.sorted() == ["font", "theme"])
        #expect(settings.appearance == Appearance(font: .init(family: "Serif", size: 18), theme: .dark))
    }

    @Test("What a newer version wrote is neither read nor changed")
    func newer() async throws {
        let settings = try settings(#"{"appearance": {"palette": 7}, "$versions": {"appearance": 3}}"#)
        #expect(settings.appearance == Appearance())
        settings.$appearance.set(\.theme, to: .dark)
        await #expect(throws: PreferencesError.self) { try await settings.$appearance.flush() }
        #expect(try (members()["appearance"] as? [String: Int]) == ["palette": 7])
    }

    /// The settings of a program that begins when `text` stands in the file.
    private func settings(_ text: String) throws -> Settings {
        try home.write(text, to: "preferences.json")
        return Settings(in: PreferencesFile(path: "\(home.path)/preferences.json"))
    }

    private func members() throws -> [String: Any] {
        let data = Data((home.text(of: "preferences.json") ?? "").utf8)
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }
}

import Foundation
import StoredValues
import Testing

@testable import Migration

/// Each shape that the settings have had, under each name.
struct AppearanceTests {
    static let large = Appearance(font: .init(size: 18), theme: .dark)

    @Test(
        "What each version wrote is read",
        arguments: [
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
    func versions(text: String, expected: Appearance) {
        withTemporaryStorage(preferences: text) {
            let appearance = StoredValue(.appearance)
            #expect(appearance.value == expected)
            #expect(appearance.repairs.isEmpty)
        }
    }

    @Test("A change writes the new shape under the new name, once and for all")
    func change() async throws {
        try await withTemporaryStorage(preferences: #"{"look": {"size": "large", "dark": true}, "other": 1}"#) {
            let appearance = StoredValue(.appearance)
            appearance.set(\.font.family, to: "Serif")
            try await appearance.flush()

            let file = try members()
            #expect(file.keys.sorted() == ["$versions", "appearance", "other"])
            #expect(file["$versions"] as? [String: Int] == ["appearance": 2])
            #expect((file["appearance"] as? [String: Any])?.keys.sorted() == ["font", "theme"])
            #expect(appearance.value == Appearance(font: .init(family: "Serif", size: 18), theme: .dark))
        }
    }

    @Test("What a newer version wrote is neither read nor changed")
    func newer() async throws {
        try await withTemporaryStorage(preferences: #"{"appearance": {"palette": 7}, "$versions": {"appearance": 3}}"#) {
            let appearance = StoredValue(.appearance)
            #expect(appearance.value == Appearance())
            appearance.set(\.theme, to: .dark)
            await #expect(throws: PreferencesError.self) { try await appearance.flush() }
            let members = try members()
            #expect(members["appearance"] as? [String: Int] == ["palette": 7])
        }
    }

    private func members() throws -> [String: Any] {
        let data = try Data(contentsOf: URL(fileURLWithPath: PreferencesFile.standard.path))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }
}

import StoredValues

/// The keys of the program, which is all that the window knows of them.
enum Settings {
    static let all = [AnyStoredKey(.author), AnyStoredKey(.theme), AnyStoredKey(.fontSize), AnyStoredKey(.saves)]
    /// In the keyring.
    static let token = SecurelyStoredValue<String>(key: "token")
}

enum Theme: String, Codable, CaseIterable {
    case system, light, dark
}

extension StoredKey where Item == String {
    static let author = StoredKey("author", default: "Ada", validate: checkAuthor, title: "Author", help: "Stands below each text")
}
extension StoredKey where Item == Theme {
    static let theme = StoredKey("theme", default: .system, title: "Theme", help: "The colours of the editor")
}
extension StoredKey where Item == Int {
    static let fontSize = StoredKey("fontSize", default: 12, in: 6...72, title: "Font size", help: "In points")
}
extension StoredKey where Item == Bool {
    static let saves = StoredKey("savesByItself", default: true, title: "Save by itself", help: "After every pause while you type")
}

private struct NoAuthor: Error, CustomStringConvertible {
    let description: String
}

private func checkAuthor(_ name: String) throws -> String {
    guard !name.isEmpty else { throw NoAuthor(description: "an author has a name") }
    guard !name.contains("\n") else { throw NoAuthor(description: "a name stands on one line") }
    return name
}

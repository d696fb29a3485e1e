import Foundation
import StoredValuesStore

/// A note. What later versions add is optional, or is taken from a template of the store.
struct Note: Codable, Identifiable, Sendable, CustomStringConvertible {
    let id: String
    var text: String
    var written: Date

    /// A new note, with an id that is short enough to be typed.
    init(_ text: String) {
        (id, self.text, written) = (String(UUID().uuidString.lowercased().prefix(8)), text, .now)
    }

    var description: String { "\(id)  \(text)" }
}

extension Store where Item == Note {
    /// All notes, in the order in which they were written.
    static let notes = Store("notes")
}

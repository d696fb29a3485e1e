import StoredValuesFiles

/// A user's edit of the whole file, from the text for the editor to the keys that it changed.
package struct PreferencesEdit: Sendable {
    private let store: PreferencesStore
    /// The members when the edit began. Of a broken file these are the last good ones, not the text.
    private let base: PreferencesDocument
    /// The text for the editor: the file as it is, whole or broken.
    package let text: [UInt8]

    /// The result of an edit.
    package enum Outcome: Equatable, Sendable {
        case nothingChanged
        /// These keys were set or removed, sorted.
        case changed([String])
        /// The text is not JSON, with the reason and position. Nothing was changed.
        case notJSON(String)
        /// These keys were changed elsewhere since the edit began. Nothing was changed.
        case conflict([String])
    }

    fileprivate init(_ store: PreferencesStore) throws(PreferencesError) {
        let file = try store.file.get()
        self.store = store
        do {
            text = try file?.read()?.bytes ?? PreferencesDocument().text
        } catch {
            throw .notRead(path: store.path, reason: error.description)
        }
        base = (try? PreferencesDocument(parsing: text)) ?? store.document
    }

    /// Makes the changes between the old text and `edited`, key by key and in one replacement of the file. Other changes made
    /// meanwhile stay; if both changed a key, nothing is changed unless `overwriting`.
    package func commit(_ edited: [UInt8], overwriting: Bool = false) -> Outcome {
        let new: PreferencesDocument
        do throws(JSONSyntaxError) {
            new = try PreferencesDocument(parsing: edited)
        } catch {
            return .notJSON(error.description)
        }
        // These members cannot be changed, because changes are made by key.
        guard new.unreachableMembers == base.unreachableMembers else {
            return .notJSON("\(JSONSyntaxError.halfOfPair) in a member's name; such members cannot be edited here")
        }
        let keys = (base.keys + new.keys).distinctKeys.filter { $0 != MemberVersions.name && !Self.isSame($0, base, new) }
        guard !keys.isEmpty else { return .nothingChanged }
        return store.change("an edit") { changes in
            let current = store.document
            let conflicts = keys.filter { !Self.isSame($0, base, current) && !Self.isSame($0, new, current) }
            guard conflicts.isEmpty || overwriting else { return .conflict(conflicts) }
            for key in keys { changes.set(key, to: new.stored(PreferencesKey(key)), if: .always) }
            return .changed(keys)
        }
    }

    /// Whether both hold the same under `key`, however formatted.
    private static func isSame(_ key: String, _ left: PreferencesDocument, _ right: PreferencesDocument) -> Bool {
        StoredJSON.saySame(left.stored(PreferencesKey(key)), right.stored(PreferencesKey(key)))
    }
}

extension PreferencesFile {
    /// Begins an edit of the whole file. Throws if there is no file to edit, or it cannot be read.
    package func beginEdit() throws(PreferencesError) -> PreferencesEdit { try PreferencesEdit(store) }
}

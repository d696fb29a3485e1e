// The door for those that know keys but no types. `StoredValue` is the one for everybody else.

extension PreferencesFile {
    /// All values at this moment, as the calling thread sees them.
    package var snapshot: PreferencesSnapshot { store.snapshot }

    /// A hint after each change, whoever made it; hints that nobody has taken yet become one. Take a snapshot after
    /// subscribing, and one after each hint, and none is missed.
    package var changes: AsyncStream<Void> { store.changes }

    /// Stores `value`, as a person would who edits the file: whatever version of a type wrote the old one is noted for the new
    /// one too. A value that is nested too deeply to be read again is not stored, and ``flush()`` throws that.
    package func set(_ key: String, to value: JSONValue) {
        let text = value.text(level: 1)
        let store = store
        guard PreferencesDocument.canRead(text) else {
            let reason = "it has more than \(JSONValue.maximumDepth - 1) levels of nesting"
            return store.refuse(.notEncodable(key: key, path: store.path, reason: reason))
        }
        store.change("set(_:to:)", of: key) { changes in
            let version = store.view.stored(key)?.version ?? 0
            changes.set(key, to: StoredJSON(json: text, version: version), if: .always)
        }
    }

    /// Removes what the file itself holds under `key`, which uncovers the layers below.
    package func reset(_ key: String) { store.change("reset(_:)", of: key) { $0.set(key, to: nil, if: .always) } }
}

extension PreferencesDocument {
    /// Whether `text`, which is JSON, is read as a member of a file, where it stands one level deeper.
    static func canRead(_ text: [UInt8]) -> Bool {
        var scanner = JSONScanner(text)
        return (try? scanner.skipValue(depth: 1)) != nil
    }
}

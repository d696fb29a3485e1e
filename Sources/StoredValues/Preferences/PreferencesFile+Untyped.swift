// Access by key without types, for tools. Programs use `StoredValue`.

extension PreferencesFile {
    /// All values at this moment, as the calling thread sees them.
    package var snapshot: PreferencesSnapshot { store.snapshot }

    /// An element after each change, whoever made it; a slow reader gets only one. No change is missed by a reader that takes a
    /// snapshot after subscribing, and after each element.
    package var changes: AsyncStream<Void> { store.changes }

    /// Stores `value` as if a user had edited the file: the version noted for the old value stays. A value that is nested too
    /// deeply to be read again is not stored, and ``flush()`` throws that.
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

    /// Removes the file's own value of `key`, which uncovers the layers below.
    package func reset(_ key: String) { store.change("reset(_:)", of: key) { $0.set(key, to: nil, if: .always) } }
}

extension PreferencesDocument {
    /// Whether `text`, which is JSON, can be read as a member of a file, where it is one level deeper.
    static func canRead(_ text: [UInt8]) -> Bool {
        var scanner = JSONScanner(text)
        return (try? scanner.skipValue(depth: 1)) != nil
    }
}

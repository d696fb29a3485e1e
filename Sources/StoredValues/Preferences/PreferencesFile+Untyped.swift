import Dispatch
import StoredValuesSupport

// The door for those that know keys but no types. `StoredValue` is the one for everybody else.

extension PreferencesFile {
    /// All values at this moment. Of a batch that another thread makes just now it shows nothing, for that would be a part.
    package var snapshot: PreferencesSnapshot { preferences.snapshot }

    /// A hint after each change, whoever made it; hints that nobody has taken yet become one. Take a snapshot after
    /// subscribing, and one after each hint, and none is missed.
    package var changes: AsyncStream<Void> { preferences.changes }

    /// Reads what others have written by now, where that has not come by itself yet. Trouble is logged, and the last good
    /// values stay.
    package func refresh() async {
        let preferences = preferences
        await withCheckedContinuation { continuation in
            preferences.refreshing.async {
                preferences.refresh()
                for layer in preferences.state.withLock({ $0.layers }) { preferences.refreshLayer(layer.file) }
                continuation.resume()
            }
        }
    }

    /// Stores `value`, as a person would who edits the file: whatever version of a type wrote the old one is noted for the new
    /// one too. A value that is nested too deeply to be read again is not stored, and ``flush()`` throws that.
    package func set(_ key: String, to value: JSONValue) {
        let text = value.text(level: 1)
        let preferences = preferences
        guard PreferencesDocument.canRead(text) else { return preferences.refuseDepth(of: key) }
        preferences.change("set(_:to:) of \"\(key)\"") { transaction in
            let version = preferences.state.withLock { $0.stored(PreferencesKey(key)) }?.version ?? 0
            transaction.put(key, StoredText(json: text, version: version))
        }
    }

    /// Removes what the file itself holds under `key`, which uncovers the layers below.
    package func reset(_ key: String) {
        preferences.change("reset(_:) of \"\(key)\"") { $0.put(key, nil) }
    }
}

extension OpenPreferences {
    func refuseDepth(of key: String) {
        let reason = "it has more than \(JSONValue.maximumDepth - 1) levels of nesting"
        refuse(.notEncodable(key: key, path: path, reason: reason))
    }

    fileprivate var changes: AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let number = state.withLock { $0.addListener { continuation.yield() } }
            // Held, so that the file is watched as long as somebody listens.
            continuation.onTermination = { _ in self.state.withLock { $0.removeListener(number) } }
        }
    }
}

extension PreferencesDocument {
    /// Whether `text`, which is JSON, is read as a member of a file, where it stands one level deeper.
    static func canRead(_ text: [UInt8]) -> Bool {
        var scanner = JSONScanner(text)
        return (try? scanner.skipValue(depth: 1)) != nil
    }
}

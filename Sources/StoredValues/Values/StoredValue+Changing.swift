// Every change of a stored value, in the end, is one of these.

extension StoredValue {
    /// Stores what validation makes of `item`. Where that refuses it, the old value stays, which is logged and thrown by ``flush()``;
    /// ``set(checking:)`` throws it at once.
    ///
    /// Blocks the thread for as long as a replacement of the file takes, mostly microseconds: for 2 s at most where another process
    /// keeps the file's lock, and for 200 ms at most where somebody is in the middle of writing the file.
    ///
    /// - Parameters:
    ///   - item: The new value.
    ///   - overwritingNewer: Whether to replace also what a newer version of the program stored, which every other change
    ///     leaves as it is.
    public func set(_ item: Item, overwritingNewer: Bool = false) {
        let preference = livePreference
        do throws(PreferencesError) {
            let (item, stored) = try accept(item, in: preference)
            preference.store.change("set(_:)", of: key) {
                $0.set(key, to: stored, if: overwritingNewer ? .always : .notNewer, item: item)
            }
        } catch {
            preference.store.refuse(error)
        }
    }

    /// Stores what validation makes of `item`, or throws why it cannot be stored: for what somebody asks for and waits to hear about.
    ///
    /// Throws ``PreferencesError/notValid(key:path:reason:)``, ``PreferencesError/notEncodable(key:path:reason:)``,
    /// ``PreferencesError/newerVersion(key:path:stored:supported:)`` or ``PreferencesError/tooLarge(key:path:limit:)``; the old value
    /// stays then, and ``flush()`` does not throw it again. A file that cannot be written is no reason: that is as with
    /// ``set(_:overwritingNewer:)``.
    public func set(checking item: Item) throws(PreferencesError) {
        let preference = livePreference
        let (item, stored) = try accept(item, in: preference)
        try preference.store.change("set(checking:)", of: key) { changes throws(PreferencesError) in
            changes.set(key, to: stored, if: .notNewer, item: item)
            try preference.store.check(changes)
        }
    }

    /// Removes what is stored, under the former keys too, so that the default is read again.
    public func reset() {
        let preference = livePreference
        preference.store.change("reset()", of: key) { changes in
            changes.remove(key, upTo: preference.schema.version)
            declaration.formerKeys.remove(with: key, in: preference.store, upTo: preference.schema.version, &changes)
        }
    }

    /// Changes the value in place, as one step among all threads and processes.
    ///
    /// `change` runs once, on this thread, with the file's lock held: other changes of the file wait for it. Changing the
    /// same file inside it ends the program; two threads that change two files inside each other, in opposite order, would
    /// wait for ever. When it throws, nothing is changed. Where another process keeps the lock for 2 s, the step is one for this
    /// process only, and is written when that lets go; while the lock is passed on among processes, this waits for its turn.
    /// What `change` gets is what is read, also where what is stored is broken, and validation runs on what it leaves. Where a newer
    /// version of the program stored the value, that is refused.
    public func update<Result, Failure>(_ change: (inout Item) throws(Failure) -> Result) throws(Failure) -> Result {
        try update(named: "update(_:)", change)
    }

    /// ``update(_:)`` under the name of the operation that the caller used.
    func update<Result, Failure>(named call: String, _ change: (inout Item) throws(Failure) -> Result) throws(Failure) -> Result {
        let preference = livePreference
        return try preference.store.change(call, of: key) { changes throws(Failure) in
            var item = read(preference).item
            defer { changes.releaseLater(item) }
            let result = try change(&item)
            do throws(PreferencesError) {
                let (item, stored) = try accept(item, in: preference)
                changes.set(key, to: stored, if: .notNewer, item: item)
            } catch {
                preference.store.refuse(error)
            }
            return result
        }
    }

    /// What is stored when `item` is set: what validation makes of it, and its text. Throws where it is refused.
    private func accept(
        _ item: Item, in preference: LivePreference<Item>
    ) throws(PreferencesError) -> (item: Item, stored: StoredJSON) {
        let valid: Item
        do {
            valid = try declaration.validated(item)
        } catch {
            throw .notValid(key: key, path: preference.store.path, reason: "\(error)")
        }
        do {
            return (valid, StoredJSON(json: try ItemEncoder.encode(valid).text(level: 1), version: preference.schema.version))
        } catch {
            throw .notEncodable(key: key, path: preference.store.path, reason: Self.reason(error))
        }
    }

    private static func reason(_ error: any Error) -> String {
        guard case EncodingError.invalidValue(_, let context) = error else { return "\(error)" }
        let path = context.codingPath.map(\.stringValue).joined(separator: ".")
        return path.isEmpty ? context.debugDescription : "\(context.debugDescription) (at \(path))"
    }
}

extension PreferencesDocument {
    /// What is to be done about a change.
    enum Verdict {
        case make
        /// It is made already, or no longer asked for.
        case skip
        /// A newer version of the program wrote what is there.
        case refuse(stored: Int)
    }

    /// What is stored under `key`, or nil.
    func stored(_ key: PreferencesKey) -> StoredText? {
        self[key].map { StoredText(json: $0, version: versions[key.text]) }
    }

    /// What is to be done about `change` of `key`, if the file is this document.
    func verdict(on change: PreferencesTransaction.Change, of key: PreferencesKey) -> Verdict {
        let stored = stored(key)
        switch change.condition {
        case .notNewer:
            if let stored, stored.version > change.version { return .refuse(stored: stored.version) }
        case .ifStill(let expected):
            if stored != expected { return .skip }
        case .always: break
        }
        return stored == change.stored ? .skip : .make
    }

    /// The document with each of `changes` made, and the versions of what they set noted.
    func applying(_ changes: [PreferencesKey: PreferencesTransaction.Change]) -> PreferencesDocument {
        var versions = versions
        var isNoted = false
        for (key, change) in changes {
            let isNew = change.json == nil ? versions.forget(key.text) : versions.note(change.version, of: key.text)
            if isNew { isNoted = true }
        }
        var texts = changes.mapValues(\.json)
        // Otherwise the member stays as it was written.
        if isNoted { texts.updateValue(versions.text, forKey: PreferencesKey(MemberVersions.name)) }
        var document = applying(texts)
        document.versions = versions
        return document
    }
}

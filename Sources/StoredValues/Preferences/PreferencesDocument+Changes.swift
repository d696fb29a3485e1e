extension PreferencesDocument {
    /// What is stored under `key`, or nil.
    func stored(_ key: PreferencesKey) -> StoredJSON? {
        self[key].map { StoredJSON(json: $0, version: versions[key.text]) }
    }

    /// The document with each of `changes` made, and the versions of what they set noted.
    func applying(_ changes: [PreferencesKey: MemberChange]) -> PreferencesDocument {
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

/// The names that a key had in earlier versions of the program, the latest first.
struct FormerKeys: Sendable {
    let names: [String]

    /// What is stored under them and may be moved or removed: nothing that a version above `version` wrote.
    func stored(in store: PreferencesStore, upTo version: Int) -> [(key: String, text: StoredJSON)] {
        names.compactMap { name in
            guard let text = store.own(name), text.version <= version else { return nil }
            return (name, text)
        }
    }

    /// Moves the first value that is stored under them to `key`, if nothing is stored there.
    func move(to key: String, in store: PreferencesStore, upTo version: Int) {
        // Without the file's lock first: reading a default must not need a folder that can be written to.
        guard !names.isEmpty, store.own(key) == nil, !stored(in: store, upTo: version).isEmpty else { return }
        store.change("moving former keys to \"\(key)\"", mayNest: true) { changes in
            guard store.own(key) == nil, let (name, text) = stored(in: store, upTo: version).first else { return }
            changes.move(name, to: key, text)
        }
    }

    /// Removes what is stored under them along with the value of `key`, or it would come back with the next start.
    func remove(with key: String, in store: PreferencesStore, upTo version: Int, _ changes: inout MemberChanges) {
        if let text = store.own(key), text.version > version { return }  // that is not removed either
        for (name, text) in stored(in: store, upTo: version) { changes.set(name, to: nil, if: .ifStill(text)) }
    }
}

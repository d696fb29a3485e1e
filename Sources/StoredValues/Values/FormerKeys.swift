/// The names that a key had in earlier versions of the program, latest first.
struct FormerKeys: Sendable {
    let names: [String]

    /// The values stored under them that may be moved or removed: none that a version above `version` wrote.
    private func stored(in view: MembersView, upTo version: Int) -> [(key: String, text: StoredJSON)] {
        names.compactMap { name in
            guard let text = view.own(name), text.version <= version else { return nil }
            return (name, text)
        }
    }

    /// Moves the first value stored under them to `key`, if nothing is stored there.
    func move(to key: String, in store: PreferencesStore, upTo version: Int) {
        guard !names.isEmpty else { return }
        store.rearrange("moving former keys to \"\(key)\"") { view in
            var changes = MemberChanges()
            if view.own(key) == nil, let (name, text) = stored(in: view, upTo: version).first { changes.move(name, to: key, text) }
            return changes
        }
    }

    /// Removes the values stored under them together with that of `key`; otherwise they would come back at the next start.
    func remove(with key: String, in store: PreferencesStore, upTo version: Int, _ changes: inout MemberChanges) {
        let view = store.view
        if let text = view.own(key), text.version > version { return }  // then nothing is removed
        for (name, text) in stored(in: view, upTo: version) { changes.set(name, to: nil, if: .ifStill(text)) }
    }
}

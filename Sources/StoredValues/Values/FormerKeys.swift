/// The names that a key had in earlier versions of the program, the latest first.
struct FormerKeys: Sendable {
    let names: [String]

    /// What is stored under them and may be moved or removed: nothing that a version above `version` wrote.
    func stored(in preferences: OpenPreferences, upTo version: Int) -> [(key: String, text: StoredText)] {
        names.compactMap { name in
            guard let text = preferences.stored(name), text.version <= version else { return nil }
            return (name, text)
        }
    }

    /// Moves the first value that is stored under them to `key`, if nothing is stored there.
    func move(to key: String, in preferences: OpenPreferences, upTo version: Int) {
        // Without the file's lock first: reading a default must not need a folder that can be written to.
        guard !names.isEmpty, preferences.stored(key) == nil, !stored(in: preferences, upTo: version).isEmpty else { return }
        preferences.change("moving former keys to \"\(key)\"", mayNest: true) { transaction in
            guard preferences.stored(key) == nil, let (name, text) = stored(in: preferences, upTo: version).first else { return }
            transaction.move(name, to: key, text)
        }
    }

    /// Removes what is stored under them along with the value of `key`, or it would come back with the next start.
    func remove(with key: String, in preferences: OpenPreferences, upTo version: Int, _ transaction: inout PreferencesTransaction) {
        if let text = preferences.stored(key), text.version > version { return }  // that is not removed either
        for (name, text) in stored(in: preferences, upTo: version) { transaction.remove(name, ifStill: text) }
    }
}

import StoredValuesSupport

// What the calling thread reads: inside a batch or a consistent read it has its own view.
extension PreferencesStore {
    /// The calling thread's view: what is stored, with the changes of its batch, or what was stored when its consistent read began.
    var view: StoredMembers {
        let activity = ThreadActivity.current(in: self)
        return state.withLock { $0.view(in: activity) }
    }

    /// The names of the stored members, sorted, without those reserved for the library.
    var keys: [String] { document.keys.filter { !$0.isReservedKey } }

    /// The file with the changes that are not written yet.
    var document: PreferencesDocument { view.document }

    /// The content stored under `key` in the file itself, or nil.
    func own(_ key: String) -> StoredJSON? {
        let key = PreferencesKey(key)
        return SpecialReaders.all.exist ? view.own(key) : state.withLock { $0.members.own(key) }
    }

    /// What the calling thread reads for `key` if it has its own view; nil if it reads the same as all threads.
    func ownContent(of key: String) -> MemberChange? {
        guard SpecialReaders.all.exist, let activity = ThreadActivity.current(in: self) else { return nil }
        return state.withLock { $0.ownContent(of: PreferencesKey(key), in: activity) }
    }

    /// Runs `body`, in which the calling thread reads everything as it is now.
    func withConsistentValues<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        let activity = ThreadActivity.current(in: self)
        if case .reading = activity { return try body() }
        let number = state.withLock { $0.beginReading(in: activity) }
        ThreadActivity.begin(.reading(number), in: self)
        defer {
            ThreadActivity.end()
            if let reading = state.withLock({ $0.endReading(number) }) { finish(reading.later) }
        }
        return try body()
    }
}

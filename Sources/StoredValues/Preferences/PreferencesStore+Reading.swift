import StoredValuesSupport

// What the calling thread reads: inside a batch or a consistent read it has its own view.

extension PreferencesStore {
    /// The names of the stored members, sorted, without those reserved for the library.
    var keys: [String] { document.keys.filter { !$0.isReservedKey } }

    /// The file with the changes that are not written yet, as the calling thread sees it.
    var document: PreferencesDocument { wholeView.document }

    /// All values at this moment, as the calling thread sees them.
    var snapshot: PreferencesSnapshot { wholeView.snapshot }

    /// The content stored under `key` in the file itself, or nil, as the calling thread sees it.
    func own(_ key: String) -> StoredJSON? {
        MembersView.mayExist ? view.own(key) : state.withLock { $0.members.own(PreferencesKey(key)) }
    }

    /// The calling thread's view: what is stored, with the changes of a batch that it is in, or what was stored when its
    /// consistent read began.
    var view: MembersView {
        let position = turns.position
        return state.withLock { $0.view(at: position) }
    }

    /// The same for callers that need all members.
    private var wholeView: MembersView {
        state.withLock { $0.members.layOut() }
        return view
    }

    /// What the calling thread reads for `key` if it has its own view; nil if it reads the same as all threads.
    func ownContent(of key: String) -> MemberChange? {
        guard MembersView.mayExist else { return nil }
        let position = turns.position
        return state.withLock { $0.ownContent(of: key, at: position) }
    }

    /// Runs `body`, in which the calling thread reads everything as it is now.
    func withConsistentValues<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        let position = turns.position
        guard state.withLock({ $0.beginReading(at: position) }) else { return try body() }
        defer { _ = state.withLock { $0.endReading(at: position) } }
        return try body()
    }

    /// Where the value of `key` comes from, as the calling thread sees it.
    func source(_ key: String) -> ValueSource { view.source(of: key) }
}

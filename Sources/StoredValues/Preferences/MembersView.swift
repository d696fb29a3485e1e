import Synchronization

/// The members as one thread sees them: those of some moment, and changes that only this thread sees.
///
/// Inside a batch these are the batch's changes; in a consistent read the members are those of its beginning.
struct MembersView {
    let members: StoredMembers
    private(set) var changes: StoredMembers.Changes = [:]

    /// The content stored under `key` in the file itself, or nil.
    func own(_ key: String) -> StoredJSON? {
        let key = PreferencesKey(key)
        return changes[key].map(\.stored) ?? members.own(key)
    }

    /// What readers of `key` get, with the item that it was made from if that is known.
    func content(of key: String) -> MemberChange {
        if let change = changes[PreferencesKey(key)], change.json != nil { return change }
        return MemberChange(stored(key))
    }

    /// What readers of `key` get: the stored content, else that of the layers below.
    func stored(_ key: String) -> StoredJSON? {
        own(key) ?? members.layers.lazy.compactMap { $0.document.stored(PreferencesKey(key)) }.first
    }

    /// Where that comes from.
    func source(of key: String) -> ValueSource {
        let key = PreferencesKey(key)
        return changes[key].map { members.source(key, with: $0) } ?? members.source(key)
    }

    /// The document of the whole file.
    var document: PreferencesDocument { changes.isEmpty ? members.document : members.written(with: changes) }

    /// All values.
    var snapshot: PreferencesSnapshot { PreferencesSnapshot(document, layers: members.layers.map { ($0.document, $0.kind.source) }) }

    /// Applies more changes to it.
    mutating func lay(_ new: MemberChanges) { changes.merge(new.byKey) { $1 } }
}

// Whether any thread of the process may have its own view.
extension MembersView {
    /// The number of batches with changes and of consistent reads under way.
    private static let count = Atomic(0)

    /// Whether the calling thread may have its own view. It rarely does, and then a read need not look further. A thread always
    /// sees what it has noted itself.
    static var mayExist: Bool { count.load(ordering: .relaxed) != 0 }

    static func noteBegin() { count.add(1, ordering: .relaxed) }
    static func noteEnd() { count.subtract(1, ordering: .relaxed) }
}

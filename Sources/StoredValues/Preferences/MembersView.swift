import Synchronization

/// What is stored as one thread sees it: the members of some moment, and changes over them that nobody else sees.
///
/// Inside a batch these are the batch's own; in a consistent reading the members are those of its beginning.
struct MembersView {
    let members: StoredMembers
    private(set) var changes: StoredMembers.Changes = [:]

    /// What is stored under `key` in the file itself, or nil.
    func own(_ key: String) -> StoredJSON? {
        let key = PreferencesKey(key)
        return changes[key].map(\.stored) ?? members.own(key)
    }

    /// What readers of `key` see, with the item that it was made from where that is known.
    func content(of key: String) -> MemberChange {
        if let change = changes[PreferencesKey(key)], change.json != nil { return change }
        return MemberChange(stored(key))
    }

    /// What readers of `key` see: what is stored, else what the layers below say.
    func stored(_ key: String) -> StoredJSON? {
        own(key) ?? members.layers.lazy.compactMap { $0.document.stored(PreferencesKey(key)) }.first
    }

    /// Where that comes from.
    func source(of key: String) -> ValueSource { own(key) != nil ? .file : members.layerSource(PreferencesKey(key)) }

    /// The whole of the file.
    var document: PreferencesDocument { changes.isEmpty ? members.document : members.written(with: changes) }

    /// All values.
    var snapshot: PreferencesSnapshot { PreferencesSnapshot(document, layers: members.layers.map(\.document)) }

    /// Lays more changes over it.
    mutating func lay(_ new: MemberChanges) { changes.merge(new.byKey) { $1 } }
}

// Whether any thread of the process sees another thing than the others.
extension MembersView {
    /// How many batches with changes and how many consistent readings are going on.
    private static let count = Atomic(0)

    /// Whether the calling thread may have a view of its own. Nearly always it does not, and a read need ask no further. A thread
    /// always sees what it has noted itself.
    static var mayExist: Bool { count.load(ordering: .relaxed) != 0 }

    static func noteBegin() { count.add(1, ordering: .relaxed) }
    static func noteEnd() { count.subtract(1, ordering: .relaxed) }
}

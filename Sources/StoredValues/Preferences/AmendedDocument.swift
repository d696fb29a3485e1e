/// A document and changes that are made to it, but laid into it only when the whole is asked for.
///
/// Each change by itself would make a new text of the whole file, so that a batch of many keys took the square of the time.
struct AmendedDocument: Sendable {
    private var document = PreferencesDocument()
    private var changes: [PreferencesKey: MemberChange] = [:]
    /// How large the text of ``whole`` is at most, once it is laid out.
    private var size = PreferencesDocument().text.count

    /// A document with no members.
    init() {}

    /// `document` with no changes.
    init(_ document: PreferencesDocument) { whole = document }

    /// The document with the changes made.
    var whole: PreferencesDocument {
        mutating get {
            if !changes.isEmpty { self.whole = document.applying(changes) }
            return document
        }
        set { (document, changes, size) = (newValue, [:], newValue.composedSize) }
    }

    /// What is stored under `key` in ``whole``, or nil.
    func stored(_ key: PreferencesKey) -> StoredJSON? {
        if let change = changes[key] { return change.stored }
        return document.stored(key)
    }

    mutating func make(_ change: MemberChange, of key: PreferencesKey) {
        size += growth(by: change, of: key)
        changes[key] = change
    }

    // MARK: Size

    /// Whether the file stays within `limit` when `changes` are made, or does not grow by them.
    func hasRoom(for changes: [PreferencesKey: MemberChange], within limit: Int) -> Bool {
        // Nearly always this tells, and nothing need be looked up. A name grows by its escapes, and stands among the versions too.
        let bound = changes.reduce(size) { $0 + ($1.value.json?.count ?? 0) + 12 * $1.key.text.utf8.count + 128 }
        guard bound > limit else { return true }
        let growth = growth(by: changes)
        return growth <= 0 || size + growth <= limit
    }

    /// By how much `changes` make the text larger, at most.
    func growth(by changes: [PreferencesKey: MemberChange]) -> Int {
        changes.reduce(0) { $0 + growth(by: $1.value, of: $1.key) }
    }

    private func growth(by change: MemberChange, of key: PreferencesKey) -> Int {
        let old = stored(key), new = change.stored
        var growth = (new?.json.count ?? 0) - (old?.json.count ?? 0)
        let staysMember = (old == nil) == (new == nil), staysVersion = (old?.version ?? 0) == (new?.version ?? 0)
        guard !staysMember || !staysVersion else { return growth }
        let name = PreferencesDocument.escaped(key.text).count
        if !staysMember { growth += PreferencesDocument.size(name: name, value: 0) * (new == nil ? -1 : 1) }
        // What is noted of versions: an entry of that name and a number, and the member around them where it is the first.
        if !staysVersion { growth += name + 64 }
        return growth
    }
}

// How large the file would become with changes: it must stay small enough to be read again.

extension PreferencesDocument {
    /// Whether the file stays within `limit` with `changes`, or does not grow because of them.
    func hasRoom(for changes: [PreferencesKey: MemberChange], within limit: Int) -> Bool {
        // Usually this bound is enough, without a lookup. A name grows by its escapes, and may also be listed among the
        // versions.
        let bound = changes.reduce(composedSize) { $0 + ($1.value.json?.count ?? 0) + 12 * $1.key.text.utf8.count + 128 }
        guard bound > limit else { return true }
        let growth = growth(by: changes)
        return growth <= 0 || composedSize + growth <= limit
    }

    /// By how much `changes` enlarge the text, at most.
    func growth(by changes: [PreferencesKey: MemberChange]) -> Int {
        changes.reduce(0) { sum, change in
            let (key, change) = change
            let (old, new) = (stored(key), change.stored)
            let name = key.escapedName.count
            let growth = Self.size(name: name, value: new?.json.count ?? 0) - Self.size(name: name, value: old?.json.count ?? 0)
            return sum + growth + (old?.version ?? 0 == new?.version ?? 0 ? 0 : Self.versionSize(name: name))
        }
    }

    /// The size of a member with its indentation, quotes, colon, comma and line break; 0 without a value.
    static func size(name: Int, value: Int) -> Int { value == 0 ? 0 : name + value + 8 }

    /// The maximum size of a version's note: an entry of that name and a number, and the member around all entries if this is
    /// the first.
    static func versionSize(name: Int) -> Int { name + 64 }
}

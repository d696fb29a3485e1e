// How much room changes take in the file, which must not become too large to be read again.

extension PreferencesDocument {
    /// Whether the file stays within `limit` when `changes` are made, or does not grow by them.
    func hasRoom(for changes: [PreferencesKey: MemberChange], within limit: Int) -> Bool {
        // Nearly always this tells, and nothing need be looked up. A name grows by its escapes, and stands among the versions too.
        let bound = changes.reduce(composedSize) { $0 + ($1.value.json?.count ?? 0) + 12 * $1.key.text.utf8.count + 128 }
        guard bound > limit else { return true }
        let growth = growth(by: changes)
        return growth <= 0 || composedSize + growth <= limit
    }

    /// By how much `changes` make the text larger, at most.
    func growth(by changes: [PreferencesKey: MemberChange]) -> Int {
        changes.reduce(0) { sum, change in
            let (key, change) = change
            let (old, new) = (stored(key), change.stored)
            let name = key.escapedName.count
            let growth = Self.size(name: name, value: new?.json.count ?? 0) - Self.size(name: name, value: old?.json.count ?? 0)
            return sum + growth + (old?.version ?? 0 == new?.version ?? 0 ? 0 : Self.versionSize(name: name))
        }
    }

    /// What a member takes, with its indentation, quotes, colon, comma and line break; nothing without a value.
    static func size(name: Int, value: Int) -> Int { value == 0 ? 0 : name + value + 8 }

    /// What is noted of a version takes at most: an entry of that name and a number, and the member around them where it is
    /// the first.
    static func versionSize(name: Int) -> Int { name + 64 }
}

import StoredValuesSupport

/// Who wants to hear that members of a preferences file have changed.
struct Audience {
    private struct Declaration {
        let itemType: any Any.Type
        let identifier: ObjectIdentifier
        weak var member: (any LiveMember)?
    }

    /// What is called after each change with the store's state locked: it fills buffers and returns.
    typealias Listener = @Sendable (inout AfterUnlocking) -> Void

    /// The members that somebody keeps in memory.
    private var declarations: [PreferencesKey: Declaration] = [:]
    /// Who is told of each change, or of those of certain keys.
    private var listeners: [Int: (keys: Set<PreferencesKey>?, hear: Listener)] = [:]
    private var lastNumber = 0
    /// What members that went have left for those that come after them, as wrappers that are made for each request do.
    private var legacies: [PreferencesKey: any Sendable] = [:]
    /// Of so many keys at most. Where a program uses more that it declares nowhere, none of them is worth more than another.
    private static let legacyLimit = 256

    // MARK: Members

    /// What `key` is declared as by somebody who keeps it in memory, and who that is.
    func declaration(of key: PreferencesKey) -> (itemType: any Any.Type, member: any LiveMember)? {
        guard let declaration = declarations[key], let member = declaration.member else { return nil }
        return (declaration.itemType, member)
    }

    mutating func declare(_ key: PreferencesKey, as itemType: any Any.Type, by member: any LiveMember) {
        declarations[key] = Declaration(itemType: itemType, identifier: ObjectIdentifier(member), member: member)
    }

    /// Takes what the member that kept `key` before has left.
    mutating func takeLegacy(of key: PreferencesKey) -> (any Sendable)? { legacies.removeValue(forKey: key) }

    /// Forgets `key` if this member, which goes, was the one to keep it in memory, and keeps what it leaves. Returns what is to be let
    /// go when no lock is held.
    mutating func forget(_ key: PreferencesKey, by identifier: ObjectIdentifier, leaving legacy: (any Sendable)?) -> [any Sendable] {
        guard declarations[key]?.identifier == identifier else { return [] }
        declarations[key] = nil
        defer { shrink() }
        guard let legacy else { return [] }
        let old = legacies.count < Self.legacyLimit ? [] : Array(legacies.values)
        if !old.isEmpty { legacies = [:] }
        legacies[key] = legacy
        return old
    }

    private mutating func shrink() {
        // A dictionary never gives memory back by itself.
        guard declarations.capacity > 64, declarations.count < declarations.capacity / 8 else { return }
        declarations = Dictionary(uniqueKeysWithValues: declarations.map { ($0.key, $0.value) })
    }

    /// The keys that somebody keeps in memory.
    var keys: [PreferencesKey] { Array(declarations.keys) }

    /// Tells the members of these keys of their new contents, as one change, and then the listeners.
    mutating func tell(_ contents: [PreferencesKey: MemberChange], _ later: inout AfterUnlocking) {
        // Where nothing is stored, the default is what was in use last.
        if !legacies.isEmpty {
            for (key, content) in contents where content.json == nil { takeLegacy(of: key).map { later.release($0) } }
        }
        // By their place, for a content is costly to copy.
        let told = contents.indices.compactMap { index in
            declarations[contents[index].key]?.member.map { (member: $0, index: index) }
        }
        for (member, _) in told { member.beginChange() }
        for (member, index) in told { member.take(contents.values[index], &later) }
        for (member, _) in told {
            member.endChange()
            // Its last owner may let go of it just now; then it must not go before the locks are free.
            later.release(member)
        }
        for (keys, hear) in listeners.values where keys?.contains(where: { contents[$0] != nil }) != false { hear(&later) }
    }

    // MARK: Listeners

    /// Has `listener` called after each change of one of `keys`, or of whatever it is where that is nil. Returns the number that it
    /// is removed by.
    mutating func addListener(to keys: Set<PreferencesKey>? = nil, _ listener: @escaping Listener) -> Int {
        lastNumber += 1
        listeners[lastNumber] = (keys, listener)
        return lastNumber
    }

    /// Returns the listener, to be let go when no lock is held.
    mutating func removeListener(_ number: Int) -> Listener? { listeners.removeValue(forKey: number)?.hear }

    /// How many listeners there are.
    var listenerCount: Int { listeners.count }
}

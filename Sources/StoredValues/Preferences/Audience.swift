import StoredValuesSupport

/// Who is notified when members of a preferences file change.
struct Audience {
    /// A class, because copying a weak reference takes long.
    private final class Declaration: Sendable {
        weak let member: (any LiveMember)?

        init(of member: any LiveMember) { self.member = member }
    }

    /// Called after each change with the store's state locked: it fills buffers and returns.
    typealias Listener = @Sendable (inout AfterUnlocking) -> Void

    /// The members in use, by key.
    private var declarations: [PreferencesKey: Declaration] = [:]
    /// The listeners to all changes, or to those of certain keys.
    private(set) var listeners: [Int: (keys: Set<PreferencesKey>?, call: Listener)] = [:]
    private var lastNumber = 0
    /// The last good values of released members, for later ones of the same keys: some programs make a wrapper for each request. What
    /// is stored while a key has no member is not kept here.
    private var lastGoodValues: [PreferencesKey: any Sendable] = [:]

    // MARK: Members

    func member(of key: PreferencesKey) -> (any LiveMember)? { declarations[key]?.member }

    /// Whether `key` has a member, be it one that another thread is releasing, and which is about to leave its last good value.
    func isDeclared(_ key: PreferencesKey) -> Bool { declarations[key] != nil }

    mutating func declare(_ key: PreferencesKey, by member: any LiveMember) { declarations[key] = Declaration(of: member) }

    mutating func takeLastGood(of key: PreferencesKey) -> (any Sendable)? { lastGoodValues.removeValue(forKey: key) }

    /// Forgets the member of `key`, which is being released, and keeps its last good value. Returns what to release without a lock.
    mutating func forget(_ key: PreferencesKey, lastGood: (any Sendable)?) -> [any Sendable] {
        declarations[key] = nil
        if declarations.capacity > 64, declarations.count < declarations.capacity / 8 {  // a dictionary never shrinks by itself
            declarations = Dictionary(uniqueKeysWithValues: declarations.map { ($0.key, $0.value) })
        }
        guard let lastGood else { return [] }
        let old = lastGoodValues.count < 256 ? [] : Array(lastGoodValues.values)  // then all are dropped
        if !old.isEmpty { lastGoodValues = [:] }
        lastGoodValues[key] = lastGood
        return old
    }

    /// The keys of the members in use, and those with a last good value of a released one; no key is among both.
    var keys: [PreferencesKey] { Array(declarations.keys) + lastGoodValues.keys }

    var members: [any LiveMember] { declarations.values.compactMap(\.member) }

    /// Gives the members of these keys their new contents, as one change, and then calls the listeners.
    mutating func notify(_ contents: [PreferencesKey: MemberChange], _ later: inout AfterUnlocking) {
        // While nothing is stored, the default is the last good value, and so it is when a removed value uncovers a layer below.
        if !lastGoodValues.isEmpty {
            for (key, content) in contents where content.stored == nil || content.isUncovered {
                if let old = takeLastGood(of: key) { later.release(value: old) }
            }
        }
        var changed: [(member: any LiveMember, content: MemberChange)] = []
        changed.reserveCapacity(contents.count)
        for (key, content) in contents {
            guard let member = content.member ?? declarations[key]?.member else { continue }
            member.beginChange()
            changed.append((member, content))
        }
        for (member, content) in changed { member.take(content, &later) }
        for (member, _) in changed {
            member.endChange()
            later.notifyObservers(of: member)  // and releases it after that, for this may be its last reference
        }
        for (keys, call) in listeners.values where keys?.contains(where: { contents[$0] != nil }) != false { call(&later) }
    }

    // MARK: Listeners

    /// Calls `listener` after each change of one of `keys`, or of any key if that is nil. Returns the number to remove it with.
    mutating func addListener(to keys: Set<PreferencesKey>?, _ listener: @escaping Listener) -> Int {
        lastNumber += 1
        listeners[lastNumber] = (keys, listener)
        return lastNumber
    }

    /// Returns the listener, to be released without a lock.
    mutating func removeListener(_ number: Int) -> Listener? { listeners.removeValue(forKey: number)?.call }
}

/// The live value of one member, which is notified when it changes.
///
/// Called in commit order with locks held. Of members that change together, all begin before the first takes its new content, and end
/// after the last has: a reader that has seen one new value sees no old one.
protocol LiveMember: HasObservers {
    /// The type that its key is declared with.
    var itemType: any Any.Type { get }
    /// Makes readers wait from now on.
    func beginChange()
    /// Takes over the member's new content: fills buffers and returns.
    func take(_ change: MemberChange, _ later: inout AfterUnlocking)
    /// Lets readers continue.
    func endChange()
    /// Claims the variable of its key, if there is one. Called without locks.
    func claimVariable()
}

import StoredValuesSupport

/// Who wants to hear that members of a preferences file have changed.
struct Audience {
    private struct Declaration {
        let itemType: any Any.Type
        let identifier: ObjectIdentifier
        weak var member: (any LiveMember)?
    }

    /// The members that somebody keeps in memory.
    private var declarations: [PreferencesKey: Declaration] = [:]
    /// Who is told of each change, whatever it is.
    private var listeners: [Int: @Sendable () -> Void] = [:]
    private var lastNumber = 0

    // MARK: Members

    /// What `key` is declared as by somebody who keeps it in memory, and who that is.
    func declaration(of key: PreferencesKey) -> (itemType: any Any.Type, member: any LiveMember)? {
        guard let declaration = declarations[key], let member = declaration.member else { return nil }
        return (declaration.itemType, member)
    }

    mutating func declare(_ key: PreferencesKey, as itemType: any Any.Type, by member: any LiveMember) {
        declarations[key] = Declaration(itemType: itemType, identifier: ObjectIdentifier(member), member: member)
    }

    /// Forgets `key` if this member, which goes, was the one to keep it in memory.
    mutating func forget(_ key: PreferencesKey, by identifier: ObjectIdentifier) {
        guard declarations[key]?.identifier == identifier else { return }
        declarations[key] = nil
        // A dictionary never gives memory back by itself.
        guard declarations.capacity > 64, declarations.count < declarations.capacity / 8 else { return }
        declarations = Dictionary(uniqueKeysWithValues: declarations.map { ($0.key, $0.value) })
    }

    /// The keys that somebody keeps in memory.
    var keys: [PreferencesKey] { Array(declarations.keys) }

    /// Tells the member of `key`, if there is one, of its new content.
    func tell(_ key: PreferencesKey, _ change: MemberChange, _ later: inout AfterUnlocking) {
        guard let member = declarations[key]?.member else { return }
        member.take(change, &later)
        // Its last owner may let go of it just now; then it must not go before the locks are free.
        later.release(member)
    }

    // MARK: Listeners

    /// Has `listener` called after each change, and returns the number that it is removed by.
    mutating func addListener(_ listener: @escaping @Sendable () -> Void) -> Int {
        lastNumber += 1
        listeners[lastNumber] = listener
        return lastNumber
    }

    mutating func removeListener(_ number: Int) { listeners[number] = nil }

    /// How many listeners there are.
    var listenerCount: Int { listeners.count }

    func tellListeners(_ later: inout AfterUnlocking) {
        for listener in listeners.values { later.notify(listener) }
    }
}

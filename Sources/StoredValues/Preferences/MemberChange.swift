import StoredValuesSupport

/// A change of one member.
struct MemberChange: Sendable {
    /// The condition under which the change is made, now and whenever it is applied over what others wrote.
    enum Condition: Sendable {
        /// The stored value is not newer than `version`.
        case notNewer
        /// No condition.
        case always
        /// This is stored, or nothing if it is nil.
        case ifStill(StoredJSON?)
    }

    /// The JSON text, or nil to remove the member.
    let json: [UInt8]?
    /// The version of the item type that makes the change.
    let version: Int
    private(set) var condition: Condition
    /// The item that the text was made from, so that readers in this process need not decode it again.
    private(set) var item: (any Sendable)?

    init(json: [UInt8]?, version: Int, condition: Condition = .notNewer, item: (any Sendable)? = nil) {
        (self.json, self.version, self.condition, self.item) = (json, version, condition, item)
    }

    /// Stores `stored`, or removes the member if it is nil.
    init(_ stored: StoredJSON?, if condition: Condition = .notNewer, item: (any Sendable)? = nil) {
        self.init(json: stored?.json, version: stored?.version ?? 0, condition: condition, item: item)
    }

    /// The stored content after the change.
    var stored: StoredJSON? { json.map { StoredJSON(json: $0, version: version) } }

    /// Whether it depends on what exactly is stored.
    var isConditional: Bool { if case .ifStill = condition { true } else { false } }

    /// What to do with a change.
    enum Verdict {
        case make
        /// It is already made, or no longer wanted.
        case skip
        /// A newer version of the program wrote the stored value.
        case refuse(stored: Int)
    }

    /// What to do with the change if this is stored.
    func verdict(where stored: StoredJSON?) -> Verdict {
        switch condition {
        case .notNewer:
            if let stored, stored.version > version { return .refuse(stored: stored.version) }
        case .ifStill(let expected):
            if stored != expected { return .skip }
        case .always: break
        }
        return stored == self.stored ? .skip : .make
    }

    /// The change in place of `earlier`, made before it in the same batch: both are compared with what was stored before the
    /// batch.
    func over(_ earlier: MemberChange?) -> MemberChange {
        var change = self
        switch (earlier?.condition, condition) {
        case (.always, _): change.condition = .always
        case (let earlier?, .ifStill): change.condition = earlier  // the batch itself fulfilled the condition
        default: break
        }
        return change
    }

    /// The change as it waits to be written, in place of `earlier`, which waits too.
    func pending(after earlier: MemberChange?) -> MemberChange {
        var change = self
        change.item = nil
        // The file still holds the value that the earlier change was allowed to overwrite.
        if case .always = earlier?.condition { change.condition = .always }
        return change
    }
}

/// The members that one change sets or removes.
struct MemberChanges: Sendable {
    private(set) var byKey: [PreferencesKey: MemberChange] = [:]
    /// User values that are released without locks.
    private(set) var released: [any Sendable] = []

    /// Sets the member to `stored`, or removes it if that is nil.
    ///
    /// - Parameter item: The item that `stored` was made from.
    mutating func set(_ key: String, to stored: StoredJSON?, if condition: MemberChange.Condition, item: (any Sendable)? = nil) {
        byKey[PreferencesKey(key)] = MemberChange(stored, if: condition, item: item)
    }

    /// Removes the member, unless a version above `version` of the item type wrote it.
    mutating func remove(_ key: String, upTo version: Int) {
        byKey[PreferencesKey(key)] = MemberChange(json: nil, version: version)
    }

    /// Moves the content of `from` to `to`, unless another process has stored something there or changed it.
    mutating func move(_ from: String, to: String, _ stored: StoredJSON) {
        set(to, to: stored, if: .ifStill(nil))
        set(from, to: nil, if: .ifStill(stored))
    }

    /// Keeps `value`, whose release may run user code, until the locks are free.
    mutating func releaseLater(_ value: any Sendable) { released.append(value) }
}

/// The live value of one member, which is notified when it changes.
///
/// Called in commit order with locks held. If several members change together, all begin before the first takes its new
/// content, and end after the last has: a reader that has seen one new value sees no old one.
protocol LiveMember: AnyObject, Sendable {
    /// Makes readers wait from now on.
    func beginChange()
    /// Takes over the member's new content: fills buffers and returns.
    func take(_ change: MemberChange, _ later: inout AfterUnlocking)
    /// Lets readers continue.
    func endChange()
}

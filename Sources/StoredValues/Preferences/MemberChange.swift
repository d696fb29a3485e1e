import StoredValuesSupport

/// A member's new content.
struct MemberChange: Sendable {
    /// On what it depends whether the change may be made, then and whenever it is laid over what others wrote.
    enum Condition: Sendable {
        /// What is stored is no newer than `version`.
        case notNewer
        /// Nothing.
        case always
        /// This is stored, or nothing where it is nil.
        case ifStill(StoredJSON?)
    }

    /// The JSON text, or nil to remove the member.
    let json: [UInt8]?
    /// The version of the item type that asks for the change.
    let version: Int
    private(set) var condition: Condition
    /// The item that the text was made from, so that readers in this process need not decode it again.
    private(set) var item: (any Sendable)?

    init(json: [UInt8]?, version: Int, condition: Condition = .notNewer, item: (any Sendable)? = nil) {
        (self.json, self.version, self.condition, self.item) = (json, version, condition, item)
    }

    /// That `stored` is there, or nothing is.
    init(_ stored: StoredJSON?, if condition: Condition = .notNewer, item: (any Sendable)? = nil) {
        self.init(json: stored?.json, version: stored?.version ?? 0, condition: condition, item: item)
    }

    /// What is stored when the change is made.
    var stored: StoredJSON? { json.map { StoredJSON(json: $0, version: version) } }

    /// Whether it is made only where a certain thing is stored, or nothing.
    var isConditional: Bool { if case .ifStill = condition { true } else { false } }

    /// What is to be done about a change.
    enum Verdict {
        case make
        /// It is made already, or no longer asked for.
        case skip
        /// A newer version of the program wrote what is there.
        case refuse(stored: Int)
    }

    /// What is to be done about the change where this is stored.
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

    /// The change in place of `earlier`, which a batch made before it: both are compared with what was there before the batch.
    func over(_ earlier: MemberChange?) -> MemberChange {
        var change = self
        switch (earlier?.condition, condition) {
        case (.always, _): change.condition = .always
        case (let earlier?, .ifStill): change.condition = earlier  // it was met by what the batch made
        default: break
        }
        return change
    }

    /// The change as it waits to be written, in place of `earlier`, which waits too.
    func pending(after earlier: MemberChange?) -> MemberChange {
        var change = self
        change.item = nil
        // What is in the file is still what the earlier change was told to overwrite.
        if case .always = earlier?.condition { change.condition = .always }
        return change
    }
}

/// The members that one change sets or removes.
struct MemberChanges: Sendable {
    private(set) var byKey: [PreferencesKey: MemberChange] = [:]
    /// Values of the user's that are let go when the locks are free.
    private(set) var released: [any Sendable] = []

    /// Sets the member to `stored`, or removes it where that is nil.
    ///
    /// - Parameter item: What `stored` was made from.
    mutating func set(_ key: String, to stored: StoredJSON?, if condition: MemberChange.Condition, item: (any Sendable)? = nil) {
        byKey[PreferencesKey(key)] = MemberChange(stored, if: condition, item: item)
    }

    /// Removes the member, unless a version above `version` of the item type wrote it.
    mutating func remove(_ key: String, upTo version: Int) {
        byKey[PreferencesKey(key)] = MemberChange(json: nil, version: version)
    }

    /// The content of `from` moves to `to` as it is, unless another process has put something there or changed it.
    mutating func move(_ from: String, to: String, _ stored: StoredJSON) {
        set(to, to: stored, if: .ifStill(nil))
        set(from, to: nil, if: .ifStill(stored))
    }

    /// Keeps `value`, whose end may run the user's code, until the locks are free.
    mutating func releaseLater(_ value: any Sendable) { released.append(value) }
}

/// Whoever keeps the value of one member in memory and wants to hear that it changed.
///
/// Called in commit order with locks held. Of members that change as one, all begin before the first takes its new content, and
/// end after the last has: a reader who has seen one new value sees no old one.
protocol LiveMember: AnyObject, Sendable {
    /// Keeps readers waiting from now on.
    func beginChange()
    /// Takes over the member's new content: it fills buffers and returns.
    func take(_ change: MemberChange, _ later: inout AfterUnlocking)
    /// Lets readers in again.
    func endChange()
}

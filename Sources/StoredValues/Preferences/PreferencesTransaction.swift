/// The members that one change sets or removes.
struct PreferencesTransaction {
    /// A member's new content.
    struct Change: Sendable {
        /// On what it depends whether the change may be made, then and whenever it is laid over what others wrote.
        enum Condition: Sendable {
            /// What is stored is no newer than `version`.
            case notNewer
            /// Nothing.
            case always
            /// This is stored, or nothing where it is nil.
            case ifStill(StoredText?)
        }

        /// The JSON text, or nil to remove the member.
        var json: [UInt8]?
        /// The version of the item type that asks for the change.
        var version = 0
        var condition = Condition.notNewer
        /// The item that the text was made from, so that readers in this process need not decode it again.
        var item: (any Sendable)?

        init(
            json: [UInt8]? = nil, version: Int = 0, condition: Condition = .notNewer, item: (any Sendable)? = nil
        ) {
            self.json = json
            self.version = version
            self.condition = condition
            self.item = item
        }

        /// That somebody else stored `text`, or removed what was there.
        init(_ text: StoredText?) {
            self.init(json: text?.json, version: text?.version ?? 0)
        }

        /// What is to be done about a change.
        enum Verdict {
            case make
            /// It is made already, or no longer asked for.
            case skip
            /// A newer version of the program wrote what is there.
            case refuse(stored: Int)
        }

        /// What is to be done about the change where this is stored.
        func verdict(where stored: StoredText?) -> Verdict {
            switch condition {
            case .notNewer:
                if let stored, stored.version > version { return .refuse(stored: stored.version) }
            case .ifStill(let expected):
                if stored != expected { return .skip }
            case .always: break
            }
            return stored == self.stored ? .skip : .make
        }

        /// What is stored when the change is made.
        var stored: StoredText? { json.map { StoredText(json: $0, version: version) } }

        /// Whether it is made only where a certain thing is stored, or nothing.
        var isConditional: Bool { if case .ifStill = condition { true } else { false } }

        /// The change as it waits to be written, in place of `earlier`, which waits too.
        func pending(after earlier: Change?) -> Change {
            var change = self
            change.item = nil
            // What is in the file is still what the earlier change was told to overwrite.
            if case .always = earlier?.condition { change.condition = .always }
            return change
        }
    }

    private(set) var changes: [PreferencesKey: Change] = [:]

    /// - Parameter overwritingNewer: Whether to set the member even if a newer version wrote what is there.
    mutating func set(
        _ key: String, to item: some Sendable, json: [UInt8], version: Int = 0, overwritingNewer: Bool = false
    ) {
        changes[PreferencesKey(key)] = Change(
            json: json, version: version, condition: overwritingNewer ? .always : .notNewer, item: item)
    }

    /// Sets the member to `text`, or removes it where that is nil, whatever version wrote what is there.
    mutating func put(_ key: String, _ text: StoredText?) {
        var change = Change(text)
        change.condition = .always
        changes[PreferencesKey(key)] = change
    }

    /// Sets the member to `text`, unless another process has put something there.
    mutating func add(_ key: String, _ text: StoredText) {
        changes[PreferencesKey(key)] = Change(json: text.json, version: text.version, condition: .ifStill(nil))
    }

    mutating func remove(_ key: String, version: Int = 0) {
        changes[PreferencesKey(key)] = Change(version: version)
    }

    /// Removes the member if it still holds `text`.
    mutating func remove(_ key: String, ifStill text: StoredText) {
        changes[PreferencesKey(key)] = Change(condition: .ifStill(text))
    }

    /// The content of `from` moves to `to` as it is, unless another process has put something there or changed it.
    mutating func move(_ from: String, to: String, _ text: StoredText) {
        add(to, text)
        remove(from, ifStill: text)
    }
}

/// Whoever keeps the value of one member in memory and wants to hear that it changed.
protocol PreferencesMember: AnyObject, Sendable {
    /// Takes over the member's new content. Called in commit order with locks held: it fills buffers and returns.
    func take(_ change: PreferencesTransaction.Change, _ aftermath: inout Aftermath)
}

/// The members that one change sets or removes.
struct PreferencesTransaction {
    /// A member's new content.
    struct Change {
        /// The JSON text, or nil to remove the member.
        var json: [UInt8]?
        /// The item that the text was made from, so that readers in this process need not decode it again.
        var item: (any Sendable)?
    }

    private(set) var changes: [PreferencesKey: Change] = [:]

    mutating func set(_ key: String, to item: some Sendable, json: [UInt8]) {
        changes[PreferencesKey(key)] = Change(json: json, item: item)
    }

    mutating func remove(_ key: String) {
        changes[PreferencesKey(key)] = Change()
    }

    /// The content of `from` moves to `to` as it is.
    mutating func move(_ from: String, to: String, json: [UInt8]) {
        changes[PreferencesKey(to)] = Change(json: json)
        remove(from)
    }
}

/// Whoever keeps the value of one member in memory and wants to hear that it changed.
protocol PreferencesMember: AnyObject, Sendable {
    /// Takes over the member's new content. Called in commit order with locks held: it fills buffers and returns.
    func take(_ change: PreferencesTransaction.Change, _ aftermath: inout Aftermath)
}

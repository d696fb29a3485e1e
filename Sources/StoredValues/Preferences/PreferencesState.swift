import Logging

/// What an open preferences file knows. Its owner guards it; nothing here takes long or runs anybody else's code.
struct PreferencesState {
    /// Where the file lies, for people.
    let path: String
    /// What every reader sees: the file with `unsaved` laid over it.
    var document = PreferencesDocument()
    /// The file that `document` was read from or written to; nil when there was none.
    var identity: FileIdentity?
    /// Changes that are not in the file: those of a running batch, and those whose write failed.
    var unsaved: [String: PreferencesTransaction.Change] = [:]
    /// Whether the file must be written even if nothing is unsaved: after a failed fsync, Linux has dropped its pages.
    var mustRewrite = false
    /// Whether a thread already waits for another process to let go of the file's lock.
    var isWaitingForLock = false
    var isSyncScheduled = false
    /// Changes that were not made at all, until ``flush()`` has thrown them.
    var refusals: [PreferencesError] = []
    /// The last trouble, which is not logged again with each further change.
    var lastTrouble: String?
    /// The repairs of each key that were logged since it changed.
    var knownRepairs: [String: [String]] = [:]
    /// What is still to be logged.
    var notes: [(level: Logger.Level, text: String)] = []
    /// The owner itself while something is unsaved: what nobody uses any more is written all the same.
    var keptOpen: OpenPreferences?
    /// Who keeps which key in memory.
    var members: [String: WeakMember] = [:]
    /// The item type that each key was first declared with.
    var types: [String: any Any.Type] = [:]
    /// What a running batch leaves to do.
    var batchAftermath = Aftermath()

    struct WeakMember {
        weak var member: (any PreferencesMember)?
    }

    var needsWriting: Bool { mustRewrite || !unsaved.isEmpty }

    /// Takes over what somebody else wrote, under what is unsaved here.
    mutating func adopt(_ document: PreferencesDocument, _ identity: FileIdentity?, _ aftermath: inout Aftermath) {
        if !unsaved.isEmpty {
            unsaved = permitted(unsaved, in: document)
            if !needsWriting, let owner = keptOpen {
                aftermath.release(owner)
                keptOpen = nil
            }
        }
        let merged = unsaved.isEmpty ? document : document.applying(unsaved)
        for (key, weak) in members {
            let stored = merged.stored(key)
            guard !Self.isEqual(self.document.stored(key), stored), let member = weak.member else { continue }
            knownRepairs[key] = nil
            Self.tell(member, .init(json: stored?.json, version: stored?.version ?? 0), &aftermath)
        }
        self.document = merged
        self.identity = identity
    }

    /// Whether two texts say the same, however they are indented.
    private static func isEqual(_ left: StoredText?, _ right: StoredText?) -> Bool {
        guard left != right else { return true }
        guard let left, let right, left.version == right.version else { return false }
        return (try? JSONValue(parsing: left.json)) == (try? JSONValue(parsing: right.json))
    }

    /// Those of `changes` that are to be made if the file is `document`. Changes of what a newer version wrote are refused.
    mutating func permitted(
        _ changes: [String: PreferencesTransaction.Change], in document: PreferencesDocument
    ) -> [String: PreferencesTransaction.Change] {
        changes.filter { key, change in
            switch document.verdict(on: change, of: key) {
            case .make: return true
            case .skip: return false
            case .refuse(let stored):
                refuse(.newerVersion(key: key, path: path, stored: stored, supported: change.version))
                return false
            }
        }
    }

    /// Keeps `changes`, which `document` holds, until they are written.
    mutating func keep(_ changes: [String: PreferencesTransaction.Change]) {
        for (key, change) in changes { unsaved[key] = change.pending(after: unsaved[key]) }
    }

    /// Notes a change that cannot be made at all: it is to be logged, and the next ``PreferencesFile/flush()`` throws it.
    mutating func refuse(_ refusal: PreferencesError) {
        if !refusals.contains(refusal) { refusals.append(refusal) }
        note(refusal.description)
    }

    /// Notes a trouble to be logged; the same one again only after a change was written.
    mutating func note(_ trouble: String) {
        guard lastTrouble != trouble else { return }
        lastTrouble = trouble
        notes.append((.error, trouble))
    }

    /// Notes repairs of a value to be logged, unless they are the ones that were logged last.
    mutating func note(repairs: [String], of key: String) {
        let sorted = repairs.sorted()
        guard knownRepairs.updateValue(sorted, forKey: key) != sorted else { return }
        for repair in repairs { notes.append((.warning, "\"\(key)\" in \"\(path)\": \(repair)")) }
    }

    mutating func wasWritten(_ identity: FileIdentity) {
        self.identity = identity
        unsaved = [:]
        mustRewrite = false
        lastTrouble = nil
        keptOpen = nil
    }

    /// Shows `changes`, which `document` holds, to every reader in this process.
    mutating func make(
        _ changes: [String: PreferencesTransaction.Change], in document: PreferencesDocument, _ aftermath: inout Aftermath
    ) {
        self.document = document
        for (key, change) in changes {
            knownRepairs[key] = nil
            if let member = members[key]?.member { Self.tell(member, change, &aftermath) }
        }
    }

    private static func tell(
        _ member: any PreferencesMember, _ change: PreferencesTransaction.Change, _ aftermath: inout Aftermath
    ) {
        member.take(change, &aftermath)
        // Its last owner may let go of it just now; then it must not go before the locks are free.
        aftermath.release(member)
    }

    mutating func takeBatchAftermath() -> Aftermath {
        defer { batchAftermath = Aftermath() }
        return batchAftermath
    }
}

import Logging

/// What an open preferences file knows. Its owner guards it; nothing here takes long or runs anybody else's code.
struct PreferencesState {
    /// What every reader sees: the file with `unsaved` laid over it.
    var document = PreferencesDocument()
    /// The file that `document` was read from or written to; nil when there was none.
    var identity: FileIdentity?
    /// Changes that are not in the file: those of a running batch, and those whose write failed.
    var unsaved: [PreferencesKey: [UInt8]?] = [:]
    /// Whether the file must be written even if nothing is unsaved: after a failed fsync, Linux has dropped its pages.
    var mustRewrite = false
    /// Whether a thread already waits for another process to let go of the file's lock.
    var isWaitingForLock = false
    var isSyncScheduled = false
    /// Changes that were not made at all, until ``flush()`` has thrown them.
    var refusals: [PreferencesError] = []
    /// The troubles since the last write, which are not logged again with each further change.
    var troubles: Set<String> = []
    /// What is still to be logged.
    var notes: [(level: Logger.Level, text: String)] = []
    /// The owner itself while something is unsaved: what nobody uses any more is written all the same.
    var keptOpen: OpenPreferences?
    /// Who keeps which key in memory.
    var members: [PreferencesKey: WeakMember] = [:]
    /// The item type that each key was first declared with.
    var types: [PreferencesKey: any Any.Type] = [:]
    /// What a running batch leaves to do.
    var batchAftermath = Aftermath()

    struct WeakMember {
        weak var member: (any PreferencesMember)?
    }

    var needsWriting: Bool { mustRewrite || !unsaved.isEmpty }

    /// Takes over what somebody else wrote, under what is unsaved here.
    mutating func adopt(_ document: PreferencesDocument, _ identity: FileIdentity?, _ aftermath: inout Aftermath) {
        let merged = unsaved.isEmpty ? document : document.applying(unsaved)
        for (key, weak) in members {
            guard !Self.isEqual(self.document[key], merged[key]), let member = weak.member else { continue }
            Self.tell(member, .init(json: merged[key]), &aftermath)
        }
        self.document = merged
        self.identity = identity
    }

    /// Whether two JSON texts say the same, however they are indented.
    private static func isEqual(_ left: [UInt8]?, _ right: [UInt8]?) -> Bool {
        guard left != right else { return true }
        guard let left, let right else { return false }
        return (try? JSONValue(parsing: left)) == (try? JSONValue(parsing: right))
    }

    mutating func wasWritten(_ identity: FileIdentity) {
        self.identity = identity
        unsaved = [:]
        mustRewrite = false
        troubles = []
        keptOpen = nil
    }

    /// Shows `changes`, which `document` holds, to every reader in this process.
    mutating func make(
        _ changes: [PreferencesKey: PreferencesTransaction.Change], in document: PreferencesDocument, _ aftermath: inout Aftermath
    ) {
        self.document = document
        for (key, change) in changes {
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

import Logging
import StoredValuesFiles

/// What an open preferences file knows. Its owner guards it; nothing here waits or runs anybody else's code.
struct PreferencesState {
    typealias Note = (level: Logger.Level, text: String)

    /// Where the file lies, for people.
    let path: String
    /// How large the file may become.
    let sizeLimit: Int
    /// What is stored: the file with `unsaved` laid over it.
    private(set) var content = AmendedDocument()
    /// What was stored when the running batch began: what snapshots of other threads hold until it is written.
    var beforeBatch: PreferencesDocument?
    /// The files of defaults below, the most important first.
    var layers: [PreferencesLayer] = []
    /// The file that `document` was read from or written to; nil when there was none, or it is gone already.
    var pin: FilePin?
    /// Whether `document` is the last durable state, in place of a file that does not parse.
    var isRecovered = false
    /// The state of the file that was last found broken.
    var brokenIdentity: FileIdentity?
    /// The file as this process last wrote it.
    var written: FileIdentity?
    /// Changes that are not in the file: those of a running batch, and those whose write failed.
    var unsaved: [PreferencesKey: PreferencesTransaction.Change] = [:]
    /// Whether the file must be written even if nothing is unsaved: after a failed fsync, Linux has dropped its pages.
    var mustRewrite = false
    /// Whether something could not be brought to the disk, and is not there yet.
    var isSyncMissed = false
    /// Whether a thread already waits for another process to let go of the file's lock.
    var isWaitingForLock = false
    var isSyncScheduled = false
    /// How long the last sync in the background took.
    var syncCost = Duration.zero
    /// Whether a change of ours is on its way into the file. What is read from it meanwhile may be that change.
    var isWriting = false
    /// Whether somebody wanted to read the file while ``isWriting``.
    var isRefreshMissed = false
    /// Whether it was said that changes by others may go unseen.
    var isBlindnessReported = false
    /// Grows with each change of what is stored: what was read from the file before is out of date then.
    private(set) var revision = 0
    /// Changes that were not made at all, until ``flush()`` has thrown them.
    var refusals: [PreferencesError] = []
    /// The troubles since the last write, which are not logged again with each further change.
    var troubles: Set<String> = []
    /// The repairs of each key that were logged since it changed.
    var knownRepairs: [PreferencesKey: [String]] = [:]
    /// What is still to be logged.
    private var notes: [Note] = []
    /// Whether whoever opened the file has logged what was found then.
    var isOpened = false
    /// The owner itself while something is unsaved: what nobody uses any more is written all the same.
    var keptOpen: OpenPreferences?
    /// The keys that were declared, with what they were first declared as.
    var declarations: [PreferencesKey: Declaration] = [:]
    /// What the changes inside the one under way, or inside a batch, leave to do.
    var innerAftermath = Aftermath()
    /// Who wants to hear that something changed, whatever it is.
    private(set) var listeners: [Int: @Sendable () -> Void] = [:]
    private(set) var listenerCount = 0

    struct Declaration {
        let itemType: any Any.Type
        /// Who keeps it in memory.
        weak var member: (any PreferencesMember)?
    }

    init(path: String, sizeLimit: Int = DurableFile.sizeLimit) {
        self.path = path
        self.sizeLimit = sizeLimit
    }

    /// The whole of what is stored. After changes in memory it takes a while, for it is made of them then.
    var document: PreferencesDocument {
        mutating get { content.whole }
        set { content.whole = newValue }
    }

    /// The identity of the file that `document` is the content of.
    var identity: FileIdentity? { pin?.identity }

    var needsWriting: Bool { mustRewrite || isRecovered || !unsaved.isEmpty }

    /// What readers of `key` see: what is stored, else what the layers below say.
    func stored(_ key: PreferencesKey) -> StoredText? {
        if let text = content.stored(key) { return text }
        for layer in layers {
            if let text = layer.document.stored(key) { return text }
        }
        return nil
    }

    /// Takes over what somebody else wrote, under what is unsaved here.
    mutating func adopt(_ document: PreferencesDocument, _ pin: FilePin?, _ aftermath: inout Aftermath) {
        if !unsaved.isEmpty {
            unsaved = permitted(unsaved, over: AmendedDocument(document))
            if !needsWriting, let owner = keptOpen {
                aftermath.release(owner)
                keptOpen = nil
            }
        }
        let merged = unsaved.isEmpty ? document : document.applying(unsaved)
        if let old = self.pin { aftermath.release(old) }
        replace(&aftermath) { state in
            state.document = merged
            state.pin = pin
            state.isRecovered = false
            state.revision += 1
            if state.unsaved.isEmpty { state.troubles = [] }
        }
    }

    /// Takes over what a layer holds now.
    mutating func adopt(_ layer: PreferencesLayer, _ aftermath: inout Aftermath) {
        replace(&aftermath) { state in
            if let position = state.layers.firstIndex(where: { $0.file === layer.file }) { state.layers[position] = layer }
        }
    }

    /// Puts files of defaults below the person's own.
    mutating func add(_ layers: [PreferencesLayer], _ aftermath: inout Aftermath) {
        replace(&aftermath) { $0.layers += layers }
    }

    /// Runs `change`, and tells the members whose content is another one after it.
    private mutating func replace(_ aftermath: inout Aftermath, _ change: (inout PreferencesState) -> Void) {
        let old = self
        change(&self)
        for (key, declaration) in declarations {
            let stored = stored(key)
            let isSame = (old.content.stored(key) == nil) == (content.stored(key) == nil) && Self.isEqual(old.stored(key), stored)
            guard !isSame, let member = declaration.member else { continue }
            knownRepairs[key] = nil
            Self.tell(member, .init(stored), &aftermath)
        }
        tellListeners(&aftermath)
    }

    /// Whether two texts say the same, however they are indented.
    static func isEqual(_ left: StoredText?, _ right: StoredText?) -> Bool {
        guard left != right else { return true }
        guard let left, let right, left.version == right.version else { return false }
        // As bytes: strings that only look alike are equal for Swift. What cannot be read is as different as it is spelled.
        guard let left = try? JSONValue(parsing: left.json), let right = try? JSONValue(parsing: right.json) else { return false }
        return left.text() == right.text()
    }

    /// Notes a change that cannot be made at all: it is to be logged, and the next ``PreferencesFile/flush()`` throws it.
    mutating func refuse(_ refusal: PreferencesError) {
        if !refusals.contains(refusal) { refusals.append(refusal) }
        note(refusal.description)
    }

    /// Notes a trouble to be logged; the same one again only after a change was written.
    mutating func note(_ trouble: String) {
        if troubles.count > 100 { troubles = [] }
        guard troubles.insert(trouble).inserted else { return }
        notes.append((.error, trouble))
    }

    /// What is to be logged, once.
    mutating func takeNotes() -> [Note] {
        defer { notes = [] }
        return notes
    }

    /// Notes repairs of a value to be logged, unless they are the ones that were logged last.
    mutating func note(repairs: [String], of key: String) {
        let sorted = repairs.sorted()
        guard knownRepairs.updateValue(sorted, forKey: PreferencesKey(key)) != sorted else { return }
        for repair in repairs { notes.append((.warning, "\"\(key)\" in \"\(path)\": \(repair)")) }
    }

    /// Notes that the change is in the file, or could not be written. Returns whether the file must be read again.
    mutating func endWriting() -> Bool {
        defer { (isWriting, isRefreshMissed) = (false, false) }
        return isRefreshMissed
    }

    mutating func wasWritten(_ identity: FileIdentity, _ pin: FilePin?, _ aftermath: inout Aftermath) {
        if let old = self.pin {
            old.noteReplaced()
            aftermath.release(old)
        }
        self.pin = pin
        written = identity
        unsaved = [:]
        mustRewrite = false
        isRecovered = false
        troubles = []
        keptOpen = nil
    }

    /// Keeps `changes` until they are written, and shows them to every reader in this process.
    mutating func makeUnsaved(_ changes: [PreferencesKey: PreferencesTransaction.Change], _ aftermath: inout Aftermath) {
        for (key, change) in changes {
            let pending = change.pending(after: unsaved[key])
            unsaved[key] = pending
            content.make(pending, of: key)
        }
        revision += 1
        show(changes, &aftermath)
    }

    /// Shows `changes` to every reader in this process. `document` is that of the revision `start` with the changes made.
    mutating func make(
        _ changes: [PreferencesKey: PreferencesTransaction.Change], in document: PreferencesDocument, since start: Int,
        _ aftermath: inout Aftermath
    ) {
        guard revision == start else {
            // The watch was faster, or somebody else wrote in between and was written over: any member may be concerned.
            aftermath.release(changes.mapValues(\.item))
            return replace(&aftermath) { state in
                state.document = document
                state.revision += 1
            }
        }
        self.document = document
        revision += 1
        show(changes, &aftermath)
    }

    /// Tells the members of `changes`, which are made, and everybody who listens.
    private mutating func show(_ changes: [PreferencesKey: PreferencesTransaction.Change], _ aftermath: inout Aftermath) {
        for (key, change) in changes {
            knownRepairs[key] = nil
            guard let member = declarations[key]?.member else { continue }
            // What is removed uncovers the layers below.
            Self.tell(member, change.json == nil ? .init(stored(key)) : change, &aftermath)
        }
        tellListeners(&aftermath)
    }

    /// Has `listener` called after each change, and returns the number that it is removed by.
    mutating func addListener(_ listener: @escaping @Sendable () -> Void) -> Int {
        listenerCount += 1
        listeners[listenerCount] = listener
        return listenerCount
    }

    mutating func removeListener(_ number: Int) { listeners[number] = nil }

    private func tellListeners(_ aftermath: inout Aftermath) {
        for listener in listeners.values { aftermath.notify(listener) }
    }

    private static func tell(
        _ member: any PreferencesMember, _ change: PreferencesTransaction.Change, _ aftermath: inout Aftermath
    ) {
        member.take(change, &aftermath)
        // Its last owner may let go of it just now; then it must not go before the locks are free.
        aftermath.release(member)
    }

    mutating func takeInnerAftermath() -> Aftermath {
        defer { innerAftermath = Aftermath() }
        return innerAftermath
    }
}

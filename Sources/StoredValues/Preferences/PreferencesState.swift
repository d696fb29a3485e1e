import StoredValuesFiles
import StoredValuesSupport

/// The state of the store of a preferences file: what is on the disk, what is stored and not written yet, who listens, and what
/// to log. Each part manages its own fields; this type does what concerns several.
///
/// The store guards it with a lock. Nothing here waits, makes a system call or runs user code.
struct PreferencesState {
    var disk = KnownFile()
    var members: StoredMembers
    var audience = Audience()
    var log: TroubleLog
    /// The changes of the running batch so far, nil before the first. Only its thread sees them; they are published when the
    /// batch is committed.
    private(set) var batched: StoredMembers.Changes?
    /// The members' revision that these were compared with; nil once a key was changed twice.
    private var comparedRevision: Int?
    /// What the changes inside the turn under way, or inside a batch, leave to do after it.
    private var inner = AfterUnlocking()
    /// The views of threads in a consistent read.
    private var readings: [TurnLock.Position: MembersView] = [:]
    /// The store itself while something is unsaved, so that it is written even if nothing else uses the store.
    private var keptOpen: PreferencesStore?

    init(path: String, sizeLimit: Int, hasFile: Bool) {
        members = StoredMembers(path: path, sizeLimit: sizeLimit, hasFile: hasFile)
        log = TroubleLog(path: path)
    }

    /// Whether the file must be written, even without changes.
    var needsWriting: Bool { mustWriteSoon || disk.isRecovered }
    /// The same, except for a file that is only broken: it stays until a value is changed or a flush is requested.
    var mustWriteSoon: Bool { disk.mustRewrite || !members.unsaved.isEmpty }

    // MARK: Views of threads

    /// The view of a thread at this position. A change begun inside a consistent read does not use the read's view: it sees
    /// what is stored now.
    func view(at position: TurnLock.Position) -> MembersView {
        if let reading = readings[position] { return reading }
        return MembersView(members: members, changes: position.depth > 0 ? batched ?? [:] : [:])
    }

    /// What such a thread reads for `key`; nil if it reads the same as all threads.
    func ownContent(of key: String, at position: TurnLock.Position) -> MemberChange? {
        let isOwn = readings[position] != nil || position.depth > 0 && batched?[PreferencesKey(key)] != nil
        return isOwn ? view(at: position).content(of: key) : nil
    }

    /// Fixes the view of the thread at this position until ``endReading(at:)``. Returns false if it is already fixed.
    mutating func beginReading(at position: TurnLock.Position) -> Bool {
        guard readings[position] == nil else { return false }
        readings[position] = view(at: position)
        MembersView.noteBegin()
        return true
    }

    /// Returns the view, to be released without a lock.
    mutating func endReading(at position: TurnLock.Position) -> MembersView? {
        MembersView.noteEnd()
        return readings.removeValue(forKey: position)
    }

    /// Applies `changes` to the view of each consistent read.
    mutating func changeReadings(_ changes: (MembersView) -> MemberChanges) {
        for (position, view) in readings { readings[position]?.lay(changes(view)) }
    }

    // MARK: Changes of ours

    /// What to write: the members, of which ``StoredMembers/written(with:)`` makes the file, and the permitted changes of the batch,
    /// or else of `changes`. Nil if there is nothing to write. From now on reads of the file are ignored, until one of the next two
    /// is called.
    mutating func beginWriting(_ changes: MemberChanges) -> (members: StoredMembers, changes: StoredMembers.Changes)? {
        let permitted = permit(batched ?? changes.byKey, areCompared: batched != nil && comparedRevision == members.revision)
        guard !permitted.isEmpty || needsWriting else { return nil }
        disk.beginWriting()
        return (members, permitted)
    }

    /// Publishes `changes`, which are now in the file together with all pending ones. `document` is the file's content.
    mutating func wasWritten(
        _ document: PreferencesDocument, _ changes: StoredMembers.Changes, _ identity: FileIdentity?, _ pin: FilePin?,
        _ later: inout AfterUnlocking
    ) {
        if let old = disk.wasWritten(identity, pin) { later.release(old) }
        let saved = members.unsaved
        members.wereWritten(document)
        log.forgetTroubles()
        letGo(&later)
        // Values that were in memory only have another source now.
        show(saved.isEmpty ? changes : changes.merging(saved.mapValues { MemberChange($0.stored) }) { new, _ in new }, &later)
    }

    /// Publishes `changes`, which could not be written, and keeps them and `store` until they are.
    mutating func wasNotWritten(_ changes: StoredMembers.Changes, by store: PreferencesStore, _ later: inout AfterUnlocking) {
        keptOpen = store
        guard !changes.isEmpty else { return }
        members.keep(changes)
        show(changes, &later)
    }

    /// Makes changes inside a batch, visible only to its thread.
    mutating func makeInBatch(_ changes: MemberChanges) {
        if !changes.released.isEmpty { inner.release(changes.released) }
        if batched == nil {
            (batched, comparedRevision) = ([:], members.revision)
            MembersView.noteBegin()
        }
        for (key, change) in changes.byKey {
            let earlier = batched?[key]
            switch members.verdict(on: change, of: key, after: earlier) {
            case .make:
                batched?[key] = change.over(earlier)
                if let earlier {
                    comparedRevision = nil
                    inner.release(earlier)
                }
            case .skip: break
            case .refuse(let stored): log.refuse(members.refusal(of: change, of: key, where: stored))
            }
        }
    }

    /// Undoes the batch's changes since this savepoint.
    mutating func undoBatch(to savepoint: StoredMembers.Changes?) {
        guard let undone = batched else { return }
        inner.release(undone)
        batched = savepoint ?? [:]
    }

    /// Publishes changes made inside another change, which writes them.
    mutating func publishInside(_ changes: MemberChanges) {
        var later = AfterUnlocking()
        swap(&inner, &later)
        later.release(changes)
        let permitted = permit(changes.byKey)
        members.keep(permitted)
        show(permitted, &later)
        swap(&inner, &later)
    }

    /// Whether there are such changes that were never tried to write.
    var isUntried: Bool { !members.unsaved.isEmpty && keptOpen == nil }

    /// Runs this at the end of the turn under way.
    mutating func doAfterTurn(_ later: AfterUnlocking) { inner.append(later) }

    mutating func releaseAfterTurn(_ changes: MemberChanges) { inner.release(changes) }

    /// Ends a turn. Returns what the changes inside it leave to do.
    mutating func endTurn() -> AfterUnlocking {
        if let made = batched {
            MembersView.noteEnd()
            inner.release(made)
        }
        defer { (inner, batched) = (AfterUnlocking(), nil) }
        return inner
    }

    private mutating func permit(_ changes: StoredMembers.Changes, areCompared: Bool = false) -> StoredMembers.Changes {
        let (permitted, refusals) = members.permitted(changes, areCompared: areCompared)
        for refusal in refusals { log.refuse(refusal) }
        return permitted
    }

    /// Notifies the members of `changes`, which are made, and all listeners.
    private mutating func show(_ changes: StoredMembers.Changes, _ later: inout AfterUnlocking) {
        var contents = changes
        for (key, change) in changes {
            log.forgetRepairs(of: key)
            // Removing a value uncovers the layers below.
            if change.json == nil, !members.layers.isEmpty { contents[key] = MemberChange(members.stored(key)) }
        }
        audience.tell(contents, &later)
    }

    // MARK: Changes by others

    /// Notes that the members are now those of the file at `pin`.
    mutating func fileWasRead(_ pin: FilePin?, _ later: inout AfterUnlocking) {
        if let old = disk.wasRead(pin) { later.release(old) }
        if members.unsaved.isEmpty { log.forgetTroubles() }
        if !needsWriting { letGo(&later) }
    }

    /// Replaces the members with `new`, and notifies those whose value has changed. Those in `respelled` have another text with
    /// the same meaning.
    mutating func exchange(_ new: StoredMembers, respelled: Set<PreferencesKey>, _ later: inout AfterUnlocking) {
        let old = members
        members = new
        var contents: StoredMembers.Changes = [:]
        for key in audience.keys {
            let (before, now) = (old.stored(key), new.stored(key))
            let isSame = old.source(key) == new.source(key) && (before == now || respelled.contains(key))
            guard !isSame else { continue }
            log.forgetRepairs(of: key)
            contents[key] = MemberChange(now)
        }
        audience.tell(contents, &later)
    }

    private mutating func letGo(_ later: inout AfterUnlocking) {
        if let store = keptOpen.take() { later.release(store) }
    }
}

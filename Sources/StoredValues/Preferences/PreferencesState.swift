import StoredValuesFiles
import StoredValuesSupport

/// What the store of a preferences file knows: what is on the disk, what is stored and not written yet, who listens, and what is
/// to be logged. Each part keeps its own fields to itself; here stands what concerns several.
///
/// The store guards it. Nothing here waits, makes a system call or runs the user's code.
struct PreferencesState {
    var disk = KnownFile()
    var members: StoredMembers
    var audience = Audience()
    var log: TroubleLog
    /// What the running batch has changed so far, nil before the first change. Only its thread sees it; it comes into the members
    /// when the batch is committed.
    private(set) var batched: StoredMembers.Changes?
    /// The revision of the members that each of these was compared with; nil once a key was changed twice.
    private var comparedRevision: Int?
    /// What the changes inside the one under way, or inside a batch, leave to do.
    private var inner = AfterUnlocking()
    /// What threads see that read several values as they were at one moment.
    private var readings: [TurnLock.Position: MembersView] = [:]
    /// The store itself while something is unsaved: what nobody uses any more is written all the same.
    private var keptOpen: PreferencesStore?

    init(path: String, sizeLimit: Int) {
        members = StoredMembers(path: path, sizeLimit: sizeLimit)
        log = TroubleLog(path: path)
    }

    /// Whether the file must be written, be it with what it holds.
    var needsWriting: Bool { mustWriteSoon || disk.isRecovered }
    /// The same, but for a broken file alone: that is left until somebody changes a value or asks for a flush.
    var mustWriteSoon: Bool { disk.mustRewrite || !members.unsaved.isEmpty }

    // MARK: What a thread sees

    /// What a thread sees that stands there. A change that it begins inside a consistent reading is none of the reading's business:
    /// there it sees what is stored now.
    func view(at position: TurnLock.Position) -> MembersView {
        if let reading = readings[position] { return reading }
        return MembersView(members: members, changes: position.depth > 0 ? batched ?? [:] : [:])
    }

    /// What such a thread reads of `key`; nil where that is what everybody does.
    func ownContent(of key: String, at position: TurnLock.Position) -> MemberChange? {
        let isOwn = readings[position] != nil || position.depth > 0 && batched?[PreferencesKey(key)] != nil
        return isOwn ? view(at: position).content(of: key) : nil
    }

    /// Lets the thread that stands there see what it sees now until ``endReading(at:)``. Returns false where it does already.
    mutating func beginReading(at position: TurnLock.Position) -> Bool {
        guard readings[position] == nil else { return false }
        readings[position] = view(at: position)
        MembersView.noteBegin()
        return true
    }

    /// Returns the view, to be let go when no lock is held.
    mutating func endReading(at position: TurnLock.Position) -> MembersView? {
        MembersView.noteEnd()
        return readings.removeValue(forKey: position)
    }

    /// Makes the `changes` for what each reading sees.
    mutating func changeReadings(_ changes: (MembersView) -> MemberChanges) {
        for (position, view) in readings { readings[position]?.lay(changes(view)) }
    }

    // MARK: Changes of ours

    /// What is to be written: the members, of which ``StoredMembers/written(with:)`` makes the file, and the permitted changes of
    /// the batch, or else of `changes`. Nil where there is nothing to write. From now on what is read from the file does not count,
    /// until one of the next two.
    mutating func beginWriting(_ changes: MemberChanges) -> (members: StoredMembers, changes: StoredMembers.Changes)? {
        let permitted = permit(batched ?? changes.byKey, areCompared: batched != nil && comparedRevision == members.revision)
        guard !permitted.isEmpty || needsWriting else { return nil }
        disk.beginWriting()
        return (members, permitted)
    }

    /// Publishes `changes`, which are in the file now, and with them all that waited. `document` is what the file holds.
    mutating func wasWritten(
        _ document: PreferencesDocument, _ changes: StoredMembers.Changes, _ identity: FileIdentity?, _ pin: FilePin?,
        _ later: inout AfterUnlocking
    ) {
        if let old = disk.wasWritten(identity, pin) { later.release(old) }
        members.wereWritten(document)
        log.forgetTroubles()
        letGo(&later)
        show(changes, &later)
    }

    /// Publishes `changes`, which could not be written, and keeps them, and `store`, until they are.
    mutating func wasNotWritten(_ changes: StoredMembers.Changes, by store: PreferencesStore, _ later: inout AfterUnlocking) {
        keptOpen = store
        guard !changes.isEmpty else { return }
        members.keep(changes)
        show(changes, &later)
    }

    /// Makes changes inside a batch, for its thread alone.
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

    /// Undoes what the batch has changed since it had changed this.
    mutating func undoBatch(to savepoint: StoredMembers.Changes?) {
        guard let undone = batched else { return }
        inner.release(undone)
        batched = savepoint ?? [:]
    }

    /// Publishes changes that are made inside another one, which writes them.
    mutating func publishInside(_ changes: MemberChanges) {
        var later = AfterUnlocking()
        swap(&inner, &later)
        later.release(changes)
        let permitted = permit(changes.byKey)
        members.keep(permitted)
        show(permitted, &later)
        swap(&inner, &later)
    }

    /// Whether there are such changes that nobody has tried to write yet.
    var isUntried: Bool { !members.unsaved.isEmpty && keptOpen == nil }

    /// Has this done at the end of the turn under way.
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

    /// Tells the members of `changes`, which are made, and everybody who listens.
    private mutating func show(_ changes: StoredMembers.Changes, _ later: inout AfterUnlocking) {
        var contents = changes
        for (key, change) in changes {
            log.forgetRepairs(of: key)
            // What is removed uncovers the layers below.
            if change.json == nil, !members.layers.isEmpty { contents[key] = MemberChange(members.stored(key)) }
        }
        audience.tell(contents, &later)
    }

    // MARK: What others wrote

    /// Notes that the members are those of the file at `pin` now.
    mutating func fileWasRead(_ pin: FilePin?, _ later: inout AfterUnlocking) {
        if let old = disk.wasRead(pin) { later.release(old) }
        if members.unsaved.isEmpty { log.forgetTroubles() }
        if !needsWriting { letGo(&later) }
    }

    /// Puts `new` in the place of the members, and tells those whose value is another one then. Those in `respelled` have another
    /// text, which says the same.
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

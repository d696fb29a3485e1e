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
    /// What was stored when the running batch began: what snapshots of other threads hold until it is written.
    private var beforeBatch: PreferencesDocument?
    /// What the changes inside the one under way, or inside a batch, leave to do.
    private var inner = AfterUnlocking()
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

    /// All values. Of a batch that is going on it shows nothing, for that would be a part, unless it is asked for `insideBatch`.
    mutating func snapshot(insideBatch: Bool) -> PreferencesSnapshot {
        PreferencesSnapshot(insideBatch ? members.document : beforeBatch ?? members.document, layers: members.layers.map(\.document))
    }

    // MARK: Changes of ours

    mutating func beginBatch() { beforeBatch = members.document }

    /// What is to be written: the members, of which ``StoredMembers/written(with:)`` makes the file, and the permitted changes. Nil
    /// where there is nothing to write. From now on what is read from the file does not count, until one of the next two.
    mutating func beginWriting(_ changes: MemberChanges) -> (members: StoredMembers, changes: StoredMembers.Changes)? {
        let permitted = permit(changes)
        guard !permitted.isEmpty || needsWriting else { return nil }
        disk.beginWriting()
        return (members, permitted)
    }

    /// Publishes `changes`, which are in the file now, and with them all that waited. `document` is what the file holds.
    mutating func wasWritten(
        _ document: PreferencesDocument, _ changes: StoredMembers.Changes, _ identity: FileIdentity, _ pin: FilePin?,
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

    /// Publishes changes that are made inside another one, which writes them.
    mutating func makeInside(_ changes: MemberChanges) {
        var later = AfterUnlocking()
        swap(&inner, &later)  // or each change of a batch would copy what the earlier ones leave
        later.release(changes)
        let permitted = permit(changes)
        members.keep(permitted)
        show(permitted, &later)
        swap(&inner, &later)
    }

    /// Ends a turn. Returns what the changes inside it leave to do.
    mutating func endTurn() -> AfterUnlocking {
        defer { (inner, beforeBatch) = (AfterUnlocking(), nil) }
        return inner
    }

    private mutating func permit(_ changes: MemberChanges) -> StoredMembers.Changes {
        let (permitted, refusals) = members.permitted(changes.byKey)
        for refusal in refusals { log.refuse(refusal) }
        return permitted
    }

    /// Tells the members of `changes`, which are made, and everybody who listens.
    private mutating func show(_ changes: StoredMembers.Changes, _ later: inout AfterUnlocking) {
        for (key, change) in changes {
            log.forgetRepairs(of: key)
            // What is removed uncovers the layers below.
            audience.tell(key, change.json == nil ? MemberChange(members.stored(key)) : change, &later)
        }
        audience.tellListeners(&later)
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
        for key in audience.keys {
            let (before, now) = (old.stored(key), new.stored(key))
            let isSame = old.source(key) == new.source(key) && (before == now || respelled.contains(key))
            guard !isSame else { continue }
            log.forgetRepairs(of: key)
            audience.tell(key, MemberChange(now), &later)
        }
        audience.tellListeners(&later)
    }

    private mutating func letGo(_ later: inout AfterUnlocking) {
        if let store = keptOpen.take() { later.release(store) }
    }
}

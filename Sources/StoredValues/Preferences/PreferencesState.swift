import StoredValuesFiles
import StoredValuesSupport

/// The state of the store of a preferences file: what is on the disk, what is stored and not written yet, who is notified, and what to
/// log. Each part manages its own fields; this type does what concerns several.
///
/// The store guards it with a lock. Nothing here waits, makes a system call or runs user code.
struct PreferencesState {
    var disk = KnownFile()
    var members: StoredMembers
    var audience = Audience()
    var log: TroubleLog
    var watches: [(file: DurableFile, watch: FileWatch)] = []
    /// The changes of the running batch so far, nil before the first. Only its thread sees them, until the batch is committed.
    private(set) var batched: MemberChanges?
    /// What to do after the turn under way.
    var afterTurn = AfterUnlocking()
    /// The views of the consistent reads under way, by number, and what to do after each.
    private var readings: [Int: (view: StoredMembers, later: AfterUnlocking)] = [:]
    private var lastReading = 0
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

    /// The view of a thread in this activity. A change begun inside a consistent read sees what is stored now, not the read's view.
    func view(in activity: ThreadActivity?) -> StoredMembers {
        if case .reading(let number) = activity, let reading = readings[number] { return reading.view }
        return if activity != nil, let batched { members.overlaid(with: batched) } else { members }
    }

    /// What such a thread reads for `key`; nil if it reads the same as all threads.
    func ownContent(of key: PreferencesKey, in activity: ThreadActivity) -> MemberChange? {
        if case .reading = activity { return view(in: activity).change(of: key) }
        return batched?[key] == nil ? nil : view(in: activity).change(of: key)
    }

    /// Fixes the view of a thread in this activity for a consistent read. Returns its number.
    mutating func beginReading(in activity: ThreadActivity?) -> Int {
        lastReading += 1
        readings[lastReading] = (view(in: activity), AfterUnlocking())
        return lastReading
    }

    /// Returns the view, to be released without a lock, and what to do after the read.
    mutating func endReading(_ number: Int) -> (view: StoredMembers, later: AfterUnlocking)? { readings.removeValue(forKey: number) }

    /// Applies `changes` to the view of each consistent read.
    mutating func changeReadings(_ changes: (StoredMembers) -> MemberChanges) {
        for (number, (view, _)) in readings { readings[number]?.view = view.overlaid(with: changes(view)) }
    }

    // MARK: Changes of ours

    /// What to write: the document of all members, the permitted changes to make in it, those of the batch or else `changes`, and whether
    /// it must be written even if they change nothing; nil for nothing. From now on reads of the file are ignored, until the turn ends.
    mutating func beginWriting(_ changes: MemberChanges) -> (document: PreferencesDocument, changes: MemberChanges, isNeeded: Bool)? {
        let permitted = permit(batched ?? changes)
        guard !permitted.isEmpty || needsWriting else { return nil }
        disk.beginWriting()
        return (members.document, permitted, needsWriting)
    }

    /// Publishes `changes`, which are now in the file together with all pending ones. `document` is the file's content.
    mutating func publish(
        _ changes: MemberChanges, writtenIn document: consuming PreferencesDocument, _ identity: FileIdentity?, _ pin: FilePin?
    ) {
        if let old = disk.wasReplaced(identity, pin) { afterTurn.release(old) }
        let saved = members.unsaved
        members.haveBeenSaved(in: document)
        log.forgetTroubles()
        if let store = keptOpen.take() { afterTurn.release(store) }
        // Values that were in memory only have another source now.
        show(saved.isEmpty ? changes : changes.merging(saved.mapValues { MemberChange($0.stored) }) { new, _ in new })
    }

    /// Publishes `changes`, which could not be written, and keeps them and `store` until they are.
    mutating func keep(_ changes: MemberChanges, by store: PreferencesStore) {
        keptOpen = store
        guard !changes.isEmpty else { return }
        show(members.keep(changes))
    }

    /// Makes a change inside a batch, visible only to its thread.
    mutating func makeInBatch(_ change: MemberChange, of key: PreferencesKey) {
        if batched == nil { batched = Dictionary(minimumCapacity: 100) }
        let earlier = batched?.updateValue(change, forKey: key)
        // The size, and whether anything changes, is checked when all changes are known.
        switch earlier.map({ change.verdict(where: $0.stored) }) ?? members.verdict(of: change, for: key) {
        case .make:
            guard let earlier else { return }
            batched?[key] = change.over(earlier)
            afterTurn.release(earlier)
        case .skip: batched?[key] = earlier
        case .refuse(let stored, let known):
            batched?[key] = earlier
            log.refuse(members.refusal(of: key, stored: stored, known: known))
        }
    }

    mutating func undoBatch(to savepoint: MemberChanges?) {
        guard let undone = batched else { return }
        afterTurn.release(value: undone)
        batched = savepoint ?? [:]
    }

    /// Publishes changes made inside another change, which writes them.
    mutating func publishInside(_ changes: MemberChanges) {
        afterTurn.release(value: changes)
        show(members.keep(permit(changes)))
    }

    /// Whether there are such changes that no turn has tried to write yet.
    var isUntried: Bool { !members.unsaved.isEmpty && keptOpen == nil }

    /// Ends a turn. Returns what to do after it.
    mutating func endTurn() -> AfterUnlocking {
        if let made = batched { afterTurn.release(value: made) }
        defer { (afterTurn, batched) = (AfterUnlocking(), nil) }
        return afterTurn
    }

    /// Postpones `later` until the calling thread ends this activity.
    mutating func leave(_ later: AfterUnlocking, after activity: ThreadActivity) {
        if case .reading(let number) = activity { readings[number]?.later.append(later) } else { afterTurn.append(later) }
    }

    private mutating func permit(_ changes: MemberChanges) -> MemberChanges {
        let (permitted, refusals) = members.permitted(changes)
        for refusal in refusals { log.refuse(refusal) }
        return permitted
    }

    /// Notifies the live values and the listeners of `changes`, which were made.
    private mutating func show(_ changes: MemberChanges) {
        log.forgetRepairs(of: changes.keys)
        guard members.environment != nil || !members.layers.isEmpty else { return audience.notify(changes, &afterTurn) }
        var contents = changes
        for (key, change) in changes {
            if let above = members.above(key) {
                contents[key] = MemberChange(above)
            } else if change.stored == nil, !members.layers.isEmpty {  // removing a value uncovers the layers below
                contents[key] = MemberChange(members.below(key), isUncovered: true)
            }
        }
        audience.notify(contents, &afterTurn)
    }

    // MARK: Changes by others

    /// Notes that the members are now those of the file with this identity; `pin` is nil if that is gone already.
    mutating func fileWasRead(_ identity: FileIdentity?, _ pin: FilePin?, _ later: inout AfterUnlocking) {
        if let old = disk.wasRead(identity, pin) { later.release(old) }
        if members.unsaved.isEmpty { log.forgetTroubles() }
        if !needsWriting, let store = keptOpen.take() { later.release(store) }
    }

    /// Replaces the members with `new`, and notifies those whose value has changed. Those in `respelled` only have another text.
    mutating func exchange(_ new: StoredMembers, respelled: Set<PreferencesKey>, _ later: inout AfterUnlocking) {
        let old = members
        members = new
        var contents: MemberChanges = [:]
        for key in audience.keys {
            let (before, now) = (old.stored(key), new.stored(key))
            var isSame = old.source(key) == new.source(key) && (before == now || respelled.contains(key))
            // Without variables, the source tells whether something is stored.
            if new.environment != nil { isSame = isSame && (old.own(key) == nil) == (new.own(key) == nil) }
            if !isSame { contents[key] = MemberChange(now, isUncovered: old.own(key) != nil && new.own(key) == nil) }
        }
        log.forgetRepairs(of: contents.keys)
        audience.notify(contents, &later)
    }

    /// Claims a variable for its key, and notifies the members whose value is another now.
    mutating func claim(_ claim: EnvironmentLayer.Claim, _ later: inout AfterUnlocking) {
        guard let environment = members.environment else { return }
        let (changed, problem) = environment.take(claim)
        problem.map { log.note($0) }
        guard !changed.isEmpty else { return }
        log.forgetRepairs(of: changed)
        audience.notify(Dictionary(uniqueKeysWithValues: changed.map { ($0, MemberChange(members.stored($0))) }), &later)
    }
}

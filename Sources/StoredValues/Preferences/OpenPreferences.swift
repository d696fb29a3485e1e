import Dispatch
import FoundationEssentials
import StoredValuesFiles
import StoredValuesSupport
import Logging

/// One preferences file as this process sees it: what is on the disk, and over it what could not be written yet.
///
/// Locks are taken in this order: the gate (one change at a time in this process), the file's lock (one at a time on
/// this machine), `state` (moments; reading needs no other).
final class OpenPreferences: Sendable {
    /// How long after a change the background fsync begins, so that a burst of changes costs one.
    let syncDelay: DispatchTimeInterval

    /// Where the values lie, for people.
    let path: String
    /// The file, or why there is none.
    let file: Result<DurableFile, PreferencesError>
    /// The file's last durable state.
    let generation: DurableGeneration?
    private let gate = ChangeGate()
    let state: Guarded<PreferencesState>
    /// Apart from `state`, so that the thread of all watches, which asks for it, never waits for what is done under that.
    let ownChanges = Guarded(OwnChanges())
    /// Runs what waits for the disk, so that no caller's thread and no thread of the cooperative pool does.
    let background = DispatchQueue(label: "StoredValues.preferences")
    /// Reads what others have written. Another queue, so that it does not wait for the disk.
    let refreshing = DispatchQueue(label: "StoredValues.watch")
    /// How long somebody else who writes the file may pause.
    let patience: Duration
    /// Where what could not be written, or not even read, is tried again.
    private let retries: RetryThread?
    /// The watches over the file and its layers.
    let watches = Guarded<[FileWatch]>([])
    private let log = Logger(label: "StoredValues")

    /// Opens the file and reads it. Trouble is logged, and thrown by ``flush()``.
    init(
        _ file: Result<DurableFile, PreferencesError>, syncDelay: DispatchTimeInterval = .milliseconds(50),
        sizeLimit: Int = DurableFile.sizeLimit, retries: RetryThread? = RetryThread(),
        patience: Duration = RefreshSchedule.patience
    ) {
        self.file = file
        self.syncDelay = syncDelay
        self.patience = patience
        self.retries = retries
        switch file {
        case .success(let file):
            path = (try? file.resolvedPath) ?? file.path
            generation = DurableGeneration(of: file)
        case .failure:
            path = "(no file)"
            generation = nil
        }
        state = Guarded(PreferencesState(path: path, sizeLimit: sizeLimit))
        readFirst()
        if case .success(let file) = file { watch(file) { $0.refresh() } }
    }

    private func readFirst() {
        guard case .success(let file) = file else { return }
        do {
            let reading = try PreferencesReading(known: nil, file.read)
            switch reading.document {
            case .success(let document):
                let pin = pin(reading.identity)
                state.withLock { state in
                    state.document = document
                    state.pin = pin
                }
            case .failure(let error):
                noteBroken(reading.identity, error, inUse: recover())
            }
        } catch {
            noteUnreadable(error)
        }
    }

    /// Keeps the file that `identity` tells of from being mistaken for a later one.
    func pin(_ identity: FileIdentity?) -> FilePin? {
        guard case .success(let file) = file, let identity else { return nil }
        return FilePin(identity, at: file.path, file.operations)
    }

    /// Notes that the file is broken, and what is in use in its place; once for each state of it.
    func noteBroken(_ identity: FileIdentity?, _ error: JSONSyntaxError, inUse: String) {
        let isNews = state.withLock { state in
            defer { state.brokenIdentity = identity }
            return identity?.isUnwritten(since: state.brokenIdentity) != true
        }
        guard isNews else { return }
        note(
            "The preferences \"\(path)\" are not JSON: \(error). \(inUse) Correct the file; before anything is written over it, it is put aside as \"\(path).rejected-<time>\"."
        )
    }

    /// Notes that the file cannot be read, and what is in use.
    func noteUnreadable(_ error: FileError) {
        var error = error
        error.operation = .read  // whatever the step was; else one trouble would be told twice
        note("Could not read the preferences \"\(path)\"; the last good values are in use, and defaults where there are none. \(error)")
    }

    /// Takes the last durable values in place of a broken file's, if there are any, and says what is in use then.
    private func recover() -> String {
        do {
            guard let bytes = try generation?.read() else { return "Defaults are in use." }
            let document = try PreferencesDocument(parsing: bytes)
            state.withLock { state in
                state.document = document
                state.isRecovered = true
            }
            return "The last values that were brought to the disk are in use."
        } catch {
            return "Defaults are in use, for the last values that were brought to the disk cannot be read either: \(error)."
        }
    }

    /// The changes that this process makes.
    struct OwnChanges {
        var isGoingOn = false
        /// When the last one ended.
        var last: ContinuousClock.Instant?
    }

    // MARK: Reading

    /// The member that keeps `key` in memory: the one that exists, or a new one made by `make` from what is stored.
    ///
    /// A key that was declared with another item type ends the program.
    func member<Item, Member: PreferencesMember>(
        _ key: String, _ itemType: Item.Type, make: (StoredText?) -> Member
    ) -> Member {
        let found = state.withLock { state -> (member: Member?, otherType: (any Any.Type)?) in
            let key = PreferencesKey(key)
            if let declared = state.declarations[key] {
                guard declared.itemType == itemType else { return (nil, declared.itemType) }
                if let member = declared.member as? Member { return (member, nil) }
            }
            let member = make(state.stored(key))
            state.declarations[key] = .init(itemType: itemType, member: member)
            return (member, nil)
        }
        guard let member = found.member else {
            misuse(
                "The key \"\(key)\" of \"\(path)\" is declared with two types: \(found.otherType.map { "\($0)" } ?? "?") and \(itemType). Give one of them another key.")
        }
        return member
    }

    /// The names of the stored members, sorted, without those that this library keeps for itself.
    var keys: [String] {
        state.withLock { $0.document }.keys.filter { !$0.isReservedKey }
    }

    /// What is stored under `key` in the file itself, or nil.
    func stored(_ key: String) -> StoredText? {
        state.withLock { $0.content.stored(PreferencesKey(key)) }
    }

    /// All values at this moment. Of a batch that another thread makes just now it shows nothing, for that would be a part.
    var snapshot: PreferencesSnapshot {
        let isInside = gate.activity != nil
        return state.withLock { state in
            let document = isInside ? state.document : state.beforeBatch ?? state.document
            return PreferencesSnapshot(document, layers: state.layers.map(\.document))
        }
    }

    // MARK: Changing

    /// Makes the changes that `body` asks for: the only way in which values change in this process.
    ///
    /// When this returns, the file is replaced and every reader in this process sees the change. If the file cannot be
    /// written, the change stays in memory, is logged, is tried again by itself and with the next one, and is thrown by ``flush()``.
    /// `body` runs once, with the file's lock held and the file read again if somebody else changed it.
    ///
    /// - Parameter mayNest: The library's own changes may be made inside a person's; they are written with it.
    func change<Result, Failure>(
        _ call: String, mayNest: Bool = false, _ body: (inout PreferencesTransaction) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Out here because a lock's closure returns nothing that is not Sendable, and items go when the locks are free.
        var outcome: Swift.Result<Result, Failure>?
        var transaction = PreferencesTransaction()
        switch gate.activity {
        case nil:
            whileLocked(.change(call)) { session, aftermath in
                outcome = Swift.Result { () throws(Failure) in try body(&transaction) }
                guard case .success = outcome else { return }
                _ = commit(transaction.changes, to: session, &aftermath)
            }
        case .change where mayNest, .batch:
            gate.during(.change(call)) {
                outcome = Swift.Result { () throws(Failure) in try body(&transaction) }
                guard case .success = outcome else { return }
                commitInside(transaction.changes)
            }
        case .change(let outer):
            misuse(
                "\(call) was called inside the closure of \(outer), and both change \"\(path)\". Make the second change after the first has returned.")
        }
        guard let outcome else { preconditionFailure("the gate did not run its body") }
        return try outcome.get()
    }

    /// Runs `body`, and writes all changes that this thread makes in it with one replacement of the file.
    func batch<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        var outcome: Swift.Result<Result, Failure>?
        switch gate.activity {
        case nil:
            whileLocked(.batch) { session, aftermath in
                state.withLock { $0.beforeBatch = $0.document }
                outcome = Swift.Result { () throws(Failure) in try body() }
                _ = commit([:], to: session, &aftermath)
                state.withLock { $0.beforeBatch = nil }
            }
        case .batch:
            return try body()
        case .change(let outer):
            misuse(
                "batch { } was called inside the closure of \(outer), and both change \"\(path)\". Put the batch around it.")
        }
        guard let outcome else { preconditionFailure("the gate did not run its body") }
        return try outcome.get()
    }

    /// Notes a change that cannot be made at all: it is logged, and the next ``flush()`` throws it.
    func refuse(_ refusal: PreferencesError) {
        state.withLock { $0.refuse(refusal) }
        if gate.activity == nil { logNotes() }
    }

    // MARK: Writing

    /// The file's lock, with what was found when it was taken.
    private struct Session: ~Copyable {
        let locked: LockedFile
        /// What is there does not parse, so it is put aside before anything is written over it.
        let isRejected: Bool
    }

    /// Runs `body` as the only change in this process and, unless the session is a failure, on this machine.
    private func whileLocked(
        _ activity: ChangeGate.Activity,
        _ body: (borrowing Swift.Result<Session, PreferencesError>, inout Aftermath) -> Void
    ) {
        var aftermath = Aftermath()
        gate.enter(activity) {
            ownChanges.withLock { $0.isGoingOn = true }
            defer {
                let now = ContinuousClock.now
                ownChanges.withLock { ($0.isGoingOn, $0.last) = (false, now) }
            }
            let session = Swift.Result { () throws(PreferencesError) in try beginSession(&aftermath) }
            body(session, &aftermath)
            aftermath.append(state.withLock { $0.takeInnerAftermath() })
        }
        aftermath.settle()
        logNotes()
    }

    /// Takes the file's lock and reads the file if somebody else changed it.
    private func beginSession(_ aftermath: inout Aftermath) throws(PreferencesError) -> Session {
        let file = try file.get()
        do {
            let isWaiting = state.withLock { $0.isWaitingForLock }
            let locked = try file.lock(timeout: isWaiting ? .zero : DurableFile.lockTimeout)
            let known = state.withLock { (identity: $0.identity, isRecovered: $0.isRecovered) }
            guard locked.identity != known.identity || known.isRecovered else {
                return Session(locked: locked, isRejected: false)
            }
            let reading = try PreferencesReading(known: known.identity, file.read)
            switch reading.document {
            case .success(let document):
                let pin = pin(reading.identity)
                state.withLock { $0.adopt(document, pin, &aftermath) }
                return Session(locked: locked, isRejected: false)
            case .failure(let error):
                noteBroken(reading.identity, error, inUse: "The last good values are in use.")
                return Session(locked: locked, isRejected: true)
            }
        } catch {
            var error = error
            if error.isLockTimeout {
                waitForLock(of: file)
                error.reason = .lockTimedOut(after: DurableFile.lockTimeout)  // those behind the first did not wait themselves
            }
            throw .notSaved(path: path, reason: error.description)
        }
    }

    /// Writes `changes` and whatever is unsaved, and tells the members. Returns why it could not be written.
    private func commit(
        _ changes: [PreferencesKey: PreferencesTransaction.Change], to session: borrowing Swift.Result<Session, PreferencesError>,
        _ aftermath: inout Aftermath
    ) -> PreferencesError? {
        // Under the file's lock, so that a newer version that was written a moment ago is seen.
        let (old, changes) = state.withLock { state in
            (
                (content: state.content, revision: state.revision, needsWriting: state.needsWriting),
                state.permitted(changes)
            )
        }
        guard !changes.isEmpty || old.needsWriting else { return nil }
        var content = old.content
        let document = changes.isEmpty ? content.whole : content.whole.applying(changes)
        state.withLock { $0.isWriting = true }
        defer {
            if state.withLock({ $0.endWriting() }) { refreshing.async { self.refresh() } }
        }
        do throws(PreferencesError) {
            let identity = try write(document, to: session)
            let pin = pin(identity)
            state.withLock { state in
                state.wasWritten(identity, pin, &aftermath)
                state.make(changes, in: document, since: old.revision, &aftermath)
            }
            scheduleSync()
            return nil
        } catch {
            state.withLock { state in
                if !changes.isEmpty { state.makeUnsaved(changes, &aftermath) }
                state.keptOpen = self
            }
            report(error.description)
            // Whoever waits for the lock writes once it is free.
            if !state.withLock({ $0.isWaitingForLock }) { tryAgain() }
            return error
        }
    }

    /// Makes changes in memory; the end of the batch, or of the change that they are made inside, writes them.
    private func commitInside(_ changes: [PreferencesKey: PreferencesTransaction.Change]) {
        state.withLock { state in
            var aftermath = Aftermath()
            aftermath.release(changes.mapValues(\.item))
            state.makeUnsaved(state.permitted(changes), &aftermath)
            state.innerAftermath.append(aftermath)
        }
    }

    private func write(
        _ document: PreferencesDocument, to session: borrowing Swift.Result<Session, PreferencesError>
    ) throws(PreferencesError) -> FileIdentity {
        switch session {
        case .failure(let error): throw error
        case .success(let session):
            do {
                guard session.isRejected else {
                    return try session.locked.replace(with: document.text, durably: false)
                }
                let time = Date.now.formatted(.iso8601.timeSeparator(.omitted).dateSeparator(.omitted))
                let new = try session.locked.replace(with: document.text, settingAsideAs: "rejected-\(time)")
                report("Put the file that is not JSON aside as \"\(new.oldPath)\".")
                return new.identity
            } catch {
                throw .notSaved(path: path, reason: error.description)
            }
        }
    }

    /// Waits for another process that has kept the lock for too long, on a thread of its own, then writes what is unsaved.
    private func waitForLock(of file: DurableFile) {
        let isFirst = state.withLock { state in
            defer { state.isWaitingForLock = true }
            return !state.isWaitingForLock
        }
        guard isFirst else { return }
        DispatchQueue(label: "StoredValues.lock").async { [self] in
            _ = try? file.lock(timeout: nil)  // Its errors come again, and are reported, when the change is written.
            state.withLock { $0.isWaitingForLock = false }
            _ = save()
        }
    }

    /// Gives a lock that was not to be had the time that a change gives it. Without this, what comes just after another
    /// process let go would fail all the same, for changes behind the one that waited do not wait. Outside the gate, where
    /// it holds up no change.
    func waitForStuckLock() {
        guard state.withLock({ $0.isWaitingForLock }), case .success(let file) = file else { return }
        guard (try? file.lock()) != nil else { return }  // the error comes again when the change is written
        state.withLock { $0.isWaitingForLock = false }
    }

    /// Writes what is unsaved, if anything is. Returns why it could not be written.
    func save() -> PreferencesError? {
        var problem: PreferencesError?
        whileLocked(.change("saving")) { session, aftermath in
            problem = commit([:], to: session, &aftermath)
        }
        return problem
    }

    /// Tries by itself to write what is unsaved, for as long as anything is, to bring it to the disk, and to read what could not
    /// be read: what was in the way may go without a word.
    func tryAgain() {
        guard case .success = file else { return }
        retries?.request { [weak self] in
            guard let self else { return }
            for layer in state.withLock({ $0.layers }) { refreshLayer(layer.file) }
            // A broken file alone is left until somebody changes a value or asks for a flush.
            if state.withLock({ $0.mustRewrite || !$0.unsaved.isEmpty }) {
                guard save() == nil else { return }
                // Not later, for where the disk fails, writing succeeds, and fsync does not: there is one pause for both.
                if sync() != nil { tryAgain() }
            } else {
                refresh()
                if state.withLock({ $0.isSyncMissed }), sync() != nil { tryAgain() }
            }
        }
    }

    // MARK: Logging

    /// Logs a trouble; the same one again only after a change was written. Inside a change it waits for its end: a log
    /// handler may use stored values too.
    func report(_ trouble: String) {
        note(trouble)
        if gate.activity == nil { logNotes() }
    }

    func note(_ trouble: String) {
        state.withLock { $0.note(trouble) }
    }

    /// Logs what the value of `key` had to be repaired by, once for all who read it.
    func report(repairs: [String], of key: String) {
        state.withLock { $0.note(repairs: repairs, of: key) }
        if gate.activity == nil { logNotes() }
    }

    /// Logs what was noted; to be called with no lock held.
    func logNotes() {
        log(state.withLock { $0.isOpened ? $0.takeNotes() : [] })
    }

    /// Logs what opening noted; to be called by whoever opened the file, with no lock held: a log handler may use stored
    /// values.
    ///
    /// Until then nobody logs. The watch looks at the file at once, on a thread of its own, and a program that ends right
    /// after opening would lose what that thread had taken and not logged yet.
    func finishOpening() {
        log(
            state.withLock { state in
                state.isOpened = true
                return state.takeNotes()
            })
    }

    private func log(_ notes: [PreferencesState.Note]) {
        for note in notes { log.log(level: note.level, "\(note.text)") }
    }
}

import Logging
import StoredValuesFiles
import StoredValuesSupport
import Synchronization

/// One preferences file as this process sees it: the content on the disk, with changes applied that could not be written yet.
///
/// Values change in a ``PreferencesTurn``, which documents the order of all locks, and when others write (``refresh(always:)``).
final class PreferencesStore: Sendable {
    /// How long after a change the background fsync begins, so that a burst of changes costs one.
    let syncDelay: Duration
    /// The path of the values, for the user.
    let path: String
    /// The file, or why there is none; nil if values are in memory only.
    let file: Result<DurableFile?, PreferencesError>
    /// The file's last durable state.
    let generation: DurableGeneration?
    /// Admits one change at a time in this process.
    let turn = TurnLock()
    /// Whether a thread waits until another process releases the file's lock, and then writes what is unsaved.
    let isWaitingForLock = Atomic(false)
    /// Only for the store and its turns. Other types ask the store.
    let state: Guarded<PreferencesState>
    /// How long another program that writes the file may pause.
    let patience: Duration
    /// How long a change waits for the file's lock.
    let lockTimeout: Duration
    /// Retries writes and reads that failed.
    let retries: RetryThread?
    let queues: StoreQueues
    let isWatchProblemReported = Atomic(false)
    /// Whether environment variables may override the file. Most files have none, and skip the lookup.
    let hasVariables = Atomic(false)
    private let opening = Guarded(false)
    private let onEnd: @Sendable () -> Void

    /// The store of `file`, which is at `path` with links resolved, and is not opened yet. `onEnd` runs when the store is released.
    init(
        _ file: Result<DurableFile?, PreferencesError>, path: String, syncDelay: Duration = .milliseconds(50),
        sizeLimit: Int = DurableFile.sizeLimit, retries: RetryThread? = RetryThread(),
        patience: Duration = RefreshSchedule.patience, lockTimeout: Duration = DurableFile.lockTimeout,
        queues: StoreQueues = .next(), onEnd: @escaping @Sendable () -> Void = {}
    ) {
        (self.file, self.path, self.syncDelay, self.retries) = (file, path, syncDelay, retries)
        (self.patience, self.lockTimeout, self.queues, self.onEnd) = (patience, lockTimeout, queues, onEnd)
        generation = (try? file.get())?.map(DurableGeneration.init)
        state = Guarded(PreferencesState(path: path, sizeLimit: sizeLimit, hasFile: (try? file.get()) != nil))
    }

    deinit { onEnd() }

    // MARK: Opening

    /// Reads the file and begins to watch it, unless it is open. Errors are logged, and thrown by ``flush()``.
    ///
    /// Other users of the same file wait meanwhile. Call it without a lock: a log handler may use stored values.
    func open() {
        opening.withLock { isOpen in
            guard !isOpen else { return }
            isOpen = true
            guard case .success(let file?) = file else { return }
            var later = AfterUnlocking()  // stays empty: there is no listener yet
            do throws(FileError) {
                _ = adopt(try PreferencesReading(known: nil, file.read), inUse: recover, &later)
            } catch {
                noteUnreadable(error)
            }
            watch(file) { $0.refresh() }
        }
        report { $0.allowLogging() }
    }

    /// Uses the last durable values in place of a broken file's, if there are any, and returns what is used.
    private func recover() -> String {
        do {
            guard let bytes = try generation?.read() else { return "Defaults are in use." }
            let document = try PreferencesDocument(parsing: bytes)
            state.withLock { state in
                _ = state.members.adopt(document)
                state.disk.isRecovered = true
            }
            return "The last durable values are in use."
        } catch {
            return "Defaults are in use, because the last durable values cannot be read either: \(error)."
        }
    }

    // MARK: Live values

    /// The live value of `key`: the one in use, or a new one, made by `make` from the stored content and the last good value of
    /// the former one. It must ``forget(_:lastGood:)`` the key when it is released. Traps if the key is declared with another item type.
    func member<Item, Member: LiveMember>(_ key: String, _ itemType: Item.Type, make: (StoredJSON?, (any Sendable)?) -> Member) -> Member {
        let key = PreferencesKey(key)
        while true {
            var found: (any LiveMember)?
            // The last good value is released out here, without a lock: it may be of another type.
            let lastGood = state.withLock { state -> (any Sendable)? in
                found = state.audience.member(of: key)
                // Another thread may be releasing it, and about to leave its last good value.
                guard found == nil, !state.audience.isDeclared(key) else { return nil }
                let lastGood = state.audience.takeLastGood(of: key)
                let member = make(state.members.stored(key), lastGood)
                state.audience.declare(key, by: member)
                found = member
                return lastGood
            }
            withExtendedLifetime(lastGood) {}
            if let found {
                if let member = found as? Member { return member }
                programmerError(
                    "The key \"\(key.text)\" of \"\(path)\" is declared with two types: \(distinctNames(found.itemType, itemType)). Give one of them another key.")
            }
            yieldThread()
        }
    }

    /// Forgets the live value of `key`, which is being released. Its last good value is kept for the next one.
    func forget(_ key: String, lastGood: (any Sendable)?) {
        let old = state.withLock { $0.audience.forget(PreferencesKey(key), lastGood: lastGood) }
        withExtendedLifetime(old) {}  // released without the lock
    }

    /// Throws why one of `changes` would be refused now, after those of the batch that they are made in.
    ///
    /// Outside of a batch the turn writes them next: what others write from now on is read after it, so that they cannot be refused any more.
    func check(_ changes: MemberChanges) throws(PreferencesError) {
        let isLast = ThreadActivity.isInOneTurn(of: self)
        let refusal = state.withLock { state in
            if isLast { state.disk.beginWriting() }
            return state.members.permitted((state.batched ?? [:]).merging(changes) { $1.over($0) }).refusals.first
        }
        if let refusal { throw refusal }
    }

    // MARK: Changing

    /// Makes the changes that `body` requests. All changes of values in this process go through here.
    ///
    /// When this returns, the file is replaced and every reader in this process sees the change. If the file cannot be written,
    /// the change stays in memory, is logged, is retried in the background and with the next change, and is thrown by
    /// ``flush()``. `body` runs once, with the file's lock held and the file read again if another program changed it. If it
    /// throws, nothing is changed.
    func change<Result, Failure>(
        _ call: String, of key: String? = nil, _ body: (inout MemberChanges) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try change(.change(call, key: key), body)
    }

    private func change<Result, Failure>(
        _ activity: ThreadActivity, _ body: (inout MemberChanges) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard !ThreadActivity.isInsideTurn(activity, of: self) else { return try changeInside(activity, body) }
        var turn = PreferencesTurn(activity, of: self)
        do throws(Failure) {
            let result = try body(&turn.changes)
            turn.commit()
            return result
        } catch {
            turn.cancel()
            throw error
        }
    }

    /// Makes one change. The same as ``change(_:of:_:)``, with less to do where it is inside a batch.
    func make(_ change: MemberChange, of key: String, _ call: String) {
        let activity = ThreadActivity.change(call, key: key)
        if ThreadActivity.isInsideTurn(activity, of: self) { return state.withLock { $0.makeInBatch(change, of: PreferencesKey(key)) } }
        var turn = PreferencesTurn(activity, of: self)
        turn.changes[PreferencesKey(key)] = change
        turn.commit()
    }

    /// The same inside a batch or another change of the calling thread, which writes these changes.
    private func changeInside<Result, Failure>(
        _ activity: ThreadActivity, _ body: (inout MemberChanges) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        ThreadActivity.begin(activity, in: self)
        defer { ThreadActivity.end() }
        let savepoint = activity == .batch ? state.withLock { $0.batched } : nil
        var changes = MemberChanges()
        do throws(Failure) {
            let result = try body(&changes)
            state.withLock { state in
                if activity == .rearrangement { return state.publishInside(changes) }
                for (key, change) in changes { state.makeInBatch(change, of: key) }
            }
            return result
        } catch {
            state.withLock { state in
                state.afterTurn.release(value: changes)
                if activity == .batch { state.undoBatch(to: savepoint) }
            }
            throw error
        }
    }

    /// Makes the library's own changes, which leave the values that users read as they are; `changes` returns them for the stored
    /// members. They may be made inside a user's change, which writes them, and stay if that is undone. Consistent reads see them.
    func rearrange(_ changes: (StoredMembers) -> MemberChanges) {
        func published() -> StoredMembers { state.withLock { $0.members } }
        // Checked without the file's lock first: reading a default must not require a writable folder.
        if !changes(published()).isEmpty { change(.rearrangement) { $0 = changes(published()) } }
        // Without a look at the count of views: a read that begins just now is in it only after it has its view.
        state.withLock { $0.changeReadings(changes) }
    }

    /// Makes all changes that this thread makes in `body` as one, in one replacement of the file; none if it throws.
    func batch<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try change(.batch) { _ throws(Failure) in try body() }
    }

    /// Makes the change under way on the calling thread write the file even if it changes no value, because the file is broken.
    func requireWriting() { state.withLock { $0.disk.mustRewrite = true } }

    /// Writes what is unsaved, if anything. Returns why it could not be written.
    func save() -> PreferencesError? {
        PreferencesTurn(.change("saving", key: nil), of: self).commit()  // a library thread, which is in no batch or update
    }

    // MARK: Logging

    /// Notes an error, to be logged at the end of the change under way; the same error again only after a change was written.
    func note(_ trouble: String) { state.withLock { $0.log.note(trouble) } }

    /// Notes what `note` adds, and logs it.
    func report(_ note: (inout TroubleLog) -> Void) {
        let notes = state.withLock { state in
            note(&state.log)
            return state.log.take()  // at once: else another thread could take it, and log it only after this has returned
        }
        finish(AfterUnlocking(), logging: notes)
    }

    /// Does what is left to do after a read, and logs the notes.
    func finish(_ later: AfterUnlocking) { finish(later, logging: state.withLock { $0.log.take() }) }

    /// Does what is left to do after a read or a change, and logs `notes`. If the calling thread is inside a change or a consistent
    /// read, of this file or another, all of this is postponed to the end of that, when no lock is held: observers and log handlers may
    /// use the values of any file, and must read the new ones. `changes` hold the user's items, which must not be released under a lock
    /// either.
    func finish(_ later: AfterUnlocking, logging notes: [TroubleLog.Note], releasing changes: MemberChanges = [:]) {
        guard let outer = ThreadActivity.ofAnyFile, let store = outer.store else {
            ThreadActivity.outside {
                later.run()
                log(notes)
            }
            return withExtendedLifetime(changes) {}
        }
        var later = later
        if !changes.isEmpty { later.release(value: changes) }
        if !notes.isEmpty { later.notify { self.log(notes) } }
        store.state.withLock { [later] in $0.leave(later, after: outer.activity) }
    }

    private func log(_ notes: [TroubleLog.Note]) {
        guard !notes.isEmpty else { return }
        let logger = Logger(label: "StoredValues")  // made here: one made before LoggingSystem.bootstrap keeps the default handler
        for note in notes { logger.log(level: note.level, "\(note.text)") }
    }
}

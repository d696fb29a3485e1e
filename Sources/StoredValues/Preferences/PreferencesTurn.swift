import FoundationEssentials
import StoredValuesFiles
import StoredValuesSupport

/// One change of a preferences file, from waiting for its turn to waking the readers.
///
/// Initialising it takes the turn among the threads of this process, then the file's lock among processes, and reads the file
/// again if another program wrote it. ``commit()`` checks the requested ``changes``, writes and publishes them, releases the
/// lock and the turn, and only then wakes readers and notifies observers. If the lock is unavailable, or writing fails, the
/// change stays in memory and is written later.
///
/// Every turn must end with ``commit()`` or ``cancel()``; ``PreferencesStore/change(_:of:mayNest:_:)`` ensures that.
///
/// Locks are taken in this order, and no thread that holds a later one takes an earlier one:
///
/// 1. The turn (``TurnLock``), for the duration of a change. The user's closure of an `update` or a `batch` runs under this and
/// the next.
/// 2. The file's lock (``LockedFile``), among processes; then, only in a flush, the lock of the ``DurableGeneration``.
/// 3. The store's state (``PreferencesState``), briefly; no system call is made under it.
/// 4. The locks of the live values that change together, in any order, because no other thread takes two of them: the store's
/// state is locked around them, and no thread locks two stores' states. Then the lock of a live value's ready item, and those
/// of its subscriptions.
///
/// All other locks guard one thing each, and no other lock is taken under them.
struct PreferencesTurn: ~Copyable {
    /// The requested changes.
    var changes = MemberChanges()
    private let store: PreferencesStore
    /// The file with its lock; nil without the lock, and if values are in memory only.
    private var locked: LockedFile?
    /// Why there is no lock. Changes stay in memory then.
    private var problem: PreferencesError?
    /// Whether the file does not parse, so that it is set aside before it is overwritten.
    private var isBroken = false
    private let activity: TurnLock.Activity
    /// What the thread was doing before, if this is inside a batch or another change, which writes these changes.
    private let outer: TurnLock.Activity?
    /// Whether the changes may be made inside any other change, and are published at once there.
    private let mayNest: Bool
    /// The changes of the outer batch when this batch began.
    ///
    /// A variable with an initial value: for a `let`, optimised code of Swift 6.3.1 releases the uninitialised memory before
    /// the initialiser sets it.
    private var savepoint: StoredMembers.Changes? = nil
    private var later = AfterUnlocking()

    /// Waits for the turn. A change inside another one traps with a message that names both, unless that is a batch, or this
    /// one `mayNest`; so does one inside a validation.
    init(_ activity: TurnLock.Activity, of store: PreferencesStore, mayNest: Bool = false) {
        if !mayNest, let key = RunningValidations.key {
            programmerError(
                "\(activity) was called inside the validation of \"\(key)\". A validation may read other values, but not change any: it returns the item to use, or throws.")
        }
        (self.store, self.activity, self.mayNest) = (store, activity, mayNest)
        outer = store.turns.activity
        savepoint = activity == .batch && outer != nil ? store.state.withLock { $0.batched } : nil
        guard let outer else {
            store.turns.enter(activity)
            do throws(PreferencesError) { try lock() } catch { problem = error }
            return
        }
        if case .change = outer, !mayNest { store.trapNested(activity, inside: outer) }
        store.turns.beginInner(activity)
    }

    /// Takes the file's lock and reads the file if another program changed it.
    private mutating func lock() throws(PreferencesError) {
        guard let file = try store.file.get() else { return }
        do throws(FileError) {
            let isWaitedFor = store.state.withLock { $0.disk.isWaitingForLock }
            let locked = try file.lock(timeout: isWaitedFor ? .zero : DurableFile.lockTimeout)
            var adoption = PreferencesStore.Adoption.outdated
            while adoption == .outdated {
                let (disk, revision) = store.state.withLock { ($0.disk, $0.members.revision) }
                guard locked.identity != disk.identity || disk.isRecovered else { break }
                // An editor takes no lock: the watch may have read a newer state in the meantime.
                let reading = try PreferencesReading(known: disk.identity, file.read)
                adoption = store.adopt(reading, since: revision, &later)
            }
            isBroken = adoption == .broken
            self.locked = consume locked
        } catch {
            var error = error
            if error.isLockTimeout {
                store.waitForLock(of: file)
                error.reason = .lockTimedOut(after: DurableFile.lockTimeout)  // changes after the first did not wait themselves
            }
            throw .notSaved(path: store.path, reason: error.description)
        }
    }

    /// Makes the change. Returns why it could not be written, if it could not.
    @discardableResult
    consuming func commit() -> PreferencesError? {
        if outer == nil {
            problem = write()
        } else {
            store.state.withLock { [changes, mayNest] in mayNest ? $0.publishInside(changes) : $0.makeInBatch(changes) }
        }
        return end()
    }

    /// Makes no change, and undoes those that were made inside.
    consuming func cancel() {
        let isUntried = store.state.withLock { [changes, activity, savepoint] state in
            state.releaseAfterTurn(changes)
            if activity == .batch { state.undoBatch(to: savepoint) }
            return state.isUntried
        }
        changes = MemberChanges()
        // The library's own changes stay, and must be written here.
        if outer == nil, isUntried { problem = write() }
        _ = end()
    }

    /// Writes and publishes the requested and all pending changes.
    private mutating func write() -> PreferencesError? {
        // Under the file's lock, so that a newer version written a moment ago is seen.
        guard let (members, changes) = store.state.withLock({ [changes] in $0.beginWriting(changes) }) else { return nil }
        do throws(PreferencesError) {
            let document = members.written(with: changes)
            let identity = try replace(with: document)
            store.wasWritten(document, changes, identity, &later)
            return nil
        } catch {
            store.wasNotWritten(changes, error, &later)
            return error
        }
    }

    private func replace(with document: PreferencesDocument) throws(PreferencesError) -> FileIdentity? {
        if let problem { throw problem }
        switch locked {
        case nil: return nil  // there is no file
        case .some(let file):
            do throws(FileError) {
                guard isBroken else { return try file.replace(with: document.text, durably: false) }
                let time = Date.now.formatted(.iso8601.timeSeparator(.omitted).dateSeparator(.omitted))
                let new = try file.replace(with: document.text, settingAsideAs: "rejected-\(time)")
                store.note("The file that is not JSON was set aside as \"\(new.oldPath)\".")
                return new.identity
            } catch {
                throw .notSaved(path: store.path, reason: error.description)
            }
        }
    }

    /// Releases the file, then the turn, and only then wakes waiting threads: they may use the same values.
    private consuming func end() -> PreferencesError? {
        if let outer {
            store.turns.endInner(outer: outer)
            return nil
        }
        let (inner, notes) = store.state.withLock { ($0.endTurn(), $0.log.take()) }
        later.append(inner)
        locked = nil
        store.turns.leave()
        later.run()
        store.log(notes)
        withExtendedLifetime(changes) {}  // they hold the user's items, which must not be released under a lock
        return problem
    }
}

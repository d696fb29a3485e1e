import Dispatch
import FoundationEssentials
import StoredValuesFiles
import StoredValuesSupport
import Synchronization

/// One change of a preferences file, from waiting for its turn to waking the readers.
///
/// Initialising it takes the turn among the threads of this process, then the file's lock among processes, and reads the file
/// again if another program wrote it. ``commit()`` checks the requested ``changes``, writes and publishes them, releases the
/// lock and the turn, and only then wakes readers and notifies observers; inside the turn of another file, this happens at the end of
/// that one. If the lock is unavailable, or writing fails, the change stays in memory and is written later.
///
/// Every turn must end with ``commit()`` or ``cancel()``; ``PreferencesStore/change(_:of:_:)`` ensures that, and makes a change inside
/// another one without a turn of its own.
///
/// Locks are taken in this order, and no thread that holds a later one takes an earlier one:
///
/// 1. The turn (``TurnLock``), for the duration of a change. The user's closure of an `update` or a `batch` runs under this and the next.
/// 2. The file's lock (``LockedFile``), among processes; then, in a change that survives a power cut or removes the file, the lock of
/// the ``DurableGeneration``.
/// 3. The store's state (``PreferencesState``), briefly; no system call is made under it.
/// 4. The locks of the live values that change together, in any order, because no other thread takes two of them: the store's
/// state is locked around them, and no thread locks two stores' states. Then the lock of a live value's ready item, and those
/// of its subscriptions.
///
/// Every other lock guards one thing, and no lock is taken under it. The exception is the lock for opening: whoever opens a file first
/// takes the lock of its state, and others wait.
struct PreferencesTurn: ~Copyable {
    var changes = MemberChanges()
    private let store: PreferencesStore
    /// The file with its lock; nil without the lock, and if values are in memory only.
    private var locked: LockedFile?
    /// Why there is no lock. Changes stay in memory then.
    private var problem: PreferencesError?

    /// Notes that the calling thread, which is in no turn of this file yet, begins this, and waits for the turn.
    init(_ activity: ThreadActivity, of store: PreferencesStore) {
        ThreadActivity.begin(activity, in: store)
        self.store = store
        store.turn.enter()
        do throws(PreferencesError) { try lock() } catch { problem = error }
    }

    /// Takes the file's lock and reads the file if another program changed it.
    private mutating func lock() throws(PreferencesError) {
        guard let file = try store.file.get() else { return }
        do throws(FileError) {
            let isWaitedFor = store.isWaitingForLock.load(ordering: .relaxed)
            let locked = try file.lock(timeout: isWaitedFor ? .zero : store.lockTimeout)
            // A limit for all readings together, because the file is locked meanwhile; each gets at least 20 ms.
            let end = ContinuousClock.now + RefreshSchedule.patience
            var isAdopted = false
            while !isAdopted {
                let (known, isUncertain, revision) = store.state.withLock { ($0.disk.identity, $0.disk.isUncertain, $0.members.revision) }
                guard locked.identity != known || isUncertain || store.mayMissChanges else { break }
                // An editor takes no lock: the watch may have read a newer state in the meantime.
                let reading = try PreferencesReading(known: known, until: max(end, ContinuousClock.now + .milliseconds(20))) {
                    () throws(FileError) in try locked.read()
                }
                var later = AfterUnlocking()
                isAdopted = store.adopt(reading, since: revision, &later)
                store.state.withLock { [later] in $0.afterTurn.append(later) }
            }
            self.locked = consume locked
        } catch {
            var error = error
            if error.isLockTimeout {
                store.waitForLock(of: file)
                error.reason = .lockTimedOut(after: store.lockTimeout)  // changes after the first did not wait themselves
            }
            throw .notSaved(path: store.path, reason: error.description)
        }
    }

    /// Makes the change. Returns why it could not be written, if it could not.
    @discardableResult
    consuming func commit() -> PreferencesError? {
        write(durably: false)
        return end()
    }

    /// Makes the change so that it survives a power cut, or not at all. Returns whether anything had to be written, and why it was not made.
    consuming func commitDurably() -> (hasWritten: Bool, problem: PreferencesError?) {
        let hasWritten = if problem == nil { write(durably: true) } else { false }
        return (hasWritten, end())
    }

    /// Removes the file with all beside it, and all values. Returns why it could not, if so.
    consuming func deleteFile() -> PreferencesError? {
        if problem == nil { problem = delete() }
        return end()
    }

    private mutating func delete() -> PreferencesError? {
        let (keys, isUnsaved) = store.state.withLock { state in
            state.disk.beginWriting()
            return (state.members.document.keys, state.members.unsaved.values.contains { $0.stored != nil })
        }
        if isUnsaved {
            return .notSaved(path: store.path, reason: "It was not removed: values are in memory only that would be lost. flush() saves them, or says why not; resetAll() gives them up.")
        }
        for key in keys { changes.set(key, to: nil, if: .always) }
        do throws(FileError) {
            switch locked.take() {
            case nil: break  // there is no file
            case .some(let file): try store.generation?.removeAll(with: file)
            }
            store.publish(changes, writtenIn: PreferencesDocument(), nil)
            return nil
        } catch {
            store.giveUpWriting()
            return .notSaved(path: store.path, reason: "It was not removed. \(error)")
        }
    }

    /// Makes no change, and undoes those that were made inside.
    consuming func cancel() {
        let isUntried = store.state.withLock { [changes] state in
            state.afterTurn.release(value: changes)
            state.undoBatch(to: nil)
            return state.isUntried
        }
        changes = MemberChanges()
        // The library's own changes stay, and must be written here.
        if isUntried { write(durably: false) }
        _ = end()
    }

    /// Writes and publishes the requested and all pending changes. What cannot be written is kept, or given up if it must be durable.
    /// Returns whether anything had to be written.
    @discardableResult
    private mutating func write(durably: Bool) -> Bool {
        // Under the file's lock, so that a newer version written a moment ago is seen.
        guard let (document, changes) = beginWriting() else {
            problem = nil
            return false
        }
        do throws(PreferencesError) {
            let identity = try replace(with: document, durably: durably)
            store.publish(changes, writtenIn: document, identity)
        } catch {
            if durably { store.giveUpWriting() } else { store.keep(changes, unwrittenFor: error) }
            problem = error
        }
        return true
    }

    /// The file with the requested and all pending changes, and those requested that change anything; nil if nothing is to be written.
    private func beginWriting() -> (document: PreferencesDocument, changes: MemberChanges)? {
        guard var writing = store.state.withLock({ [changes] in $0.beginWriting(changes) }) else { return nil }
        let changes = writing.document.apply(writing.changes)
        return changes.isEmpty && !writing.isNeeded ? nil : (writing.document, changes)
    }

    /// Replaces the file, if there is one; one that is not JSON is set aside.
    private func replace(with document: PreferencesDocument, durably: Bool) throws(PreferencesError) -> FileIdentity? {
        if let problem { throw problem }
        let isBroken = store.state.withLock { $0.disk.brokenIdentity != nil }  // found so now, or while the user's closure ran
        if durably, isBroken { _ = try replace(with: store.state.withLock { $0.members.document }, durably: false) }  // which sets it aside
        switch locked {
        case nil: return nil  // there is no file
        case .some(let file):
            if durably { return try replaceDurably(file, with: document.text) }
            do throws(FileError) {
                // A link may have been turned there and back.
                guard isBroken, let now = try file.read()?.identity, now != store.state.withLock({ $0.disk.identity }) else { return try file.replace(with: document.text, durably: false) }
                let time = Date.now.formatted(.iso8601.timeSeparator(.omitted).dateSeparator(.omitted))
                let new = try file.replace(with: document.text, settingAsideAs: "\(LockedFile.setAsideMark)\(time)")
                store.note("The file that is not JSON was set aside as \"\(new.oldPath)\".")
                return new.identity
            } catch {
                throw .notSaved(path: store.path, reason: error.description)
            }
        }
    }

    /// Replaces the file and its last durable state. If that fails after the file was replaced, puts the old content back.
    private func replaceDurably(_ file: borrowing LockedFile, with text: [UInt8]) throws(PreferencesError) -> FileIdentity {
        func failure(_ reason: String) -> PreferencesError { .notSaved(path: store.path, reason: reason) }
        // On a nearly full disk what is written next needs the room of the old file, which is free when no pin holds it.
        func releasePins() {
            _ = store.state.withLock { $0.disk.releasePin() }
            store.generation?.forgetCopy()
        }
        let old: FileContents?
        do { old = try file.read() } catch { throw failure(error.description) }
        do throws(FileError) {
            let identity = try file.replace(with: text, durably: true)
            releasePins()
            _ = try store.generation?.keep(nil) { _ in true }
            return identity
        } catch {
            guard (try? file.read())?.identity != old?.identity else { throw failure(error.description) }
            releasePins()
            do throws(FileError) {
                if let old { _ = try file.replace(with: old.bytes, durably: false) } else { try file.remove() }
            } catch let second {
                let reasons = [error, second].map { $0.code.map { "\($0)" } ?? "\($0)" }.joined(separator: ", then ")
                throw failure("The new value is in the file, may not survive a power cut, and could not be taken back: \(reasons). Call it again when that is corrected.")
            }
            throw failure("The old value was put back; others may have seen the new one. \(error)")
        }
    }

    /// Releases the file, then the turn, and only then wakes waiting threads: they may use the same values.
    private consuming func end() -> PreferencesError? {
        let (later, notes, mustRead) = store.state.withLock { ($0.endTurn(), $0.log.take(), $0.disk.endWriting()) }
        if mustRead { store.queues.watching.async { [store] in store.refresh() } }
        locked = nil
        ThreadActivity.end()
        store.turn.leave()
        store.finish(later, logging: notes, releasing: changes)
        return problem
    }
}

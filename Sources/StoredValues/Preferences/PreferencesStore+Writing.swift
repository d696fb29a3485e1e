import Dispatch
import StoredValuesFiles
import StoredValuesSupport

// What a turn does with what it has written, or could not write.

extension PreferencesStore {
    /// Publishes what was written, and brings it to the disk in a while. Without an identity it lies in memory only.
    func wasWritten(
        _ document: PreferencesDocument, _ changes: StoredMembers.Changes, _ identity: FileIdentity?, _ later: inout AfterUnlocking
    ) {
        let pin = pin(identity)
        let (mustRead, rest) = state.withLock { state in
            state.wasWritten(document, changes, identity, pin, &later)
            return (state.disk.endWriting(), identity == nil ? nil : state.disk.scheduleSync())
        }
        if mustRead { queues.watching.async { self.refresh() } }
        if let rest { scheduleSync(after: rest) }
    }

    /// Publishes what could not be written, and tries again.
    func wasNotWritten(_ changes: StoredMembers.Changes, _ error: PreferencesError, _ later: inout AfterUnlocking) {
        let (mustRead, isWaitingForLock) = state.withLock { state in
            state.wasNotWritten(changes, by: self, &later)
            state.log.note(error.description)
            return (state.disk.endWriting(), state.disk.isWaitingForLock)
        }
        if mustRead { queues.watching.async { self.refresh() } }
        // Whoever waits for the lock writes once it is free.
        if !isWaitingForLock { tryAgain() }
    }

    /// Keeps the file that `identity` tells of from being mistaken for a later one.
    func pin(_ identity: FileIdentity?) -> FilePin? {
        guard case .success(let file?) = file, let identity else { return nil }
        return FilePin(identity, at: file.path, file.operations)
    }

    /// Waits for another process that has kept the lock for too long, on a thread of its own, then writes what is unsaved.
    func waitForLock(of file: DurableFile) {
        guard state.withLock({ $0.disk.beginWaitingForLock() }) else { return }
        DispatchQueue(label: "StoredValues.lock").async { [self] in
            _ = try? file.lock(timeout: nil)  // Its errors come again, and are reported, when the change is written.
            state.withLock { $0.disk.lockWasFree() }
            _ = save()
        }
    }

    /// Gives a lock that was not to be had the time that a change gives it. Without this, what comes just after another
    /// process let go would fail all the same, for changes behind the one that waited do not wait. Outside of any turn, where
    /// it holds up no change.
    func waitForStuckLock() {
        guard state.withLock({ $0.disk.isWaitingForLock }), case .success(let file?) = file else { return }
        guard (try? file.lock()) != nil else { return }  // the error comes again when the change is written
        state.withLock { $0.disk.lockWasFree() }
    }

    /// Tries by itself to write what is unsaved, for as long as anything is, to bring it to the disk, and to read what could not
    /// be read: what was in the way may go without a word.
    func tryAgain() {
        guard case .success = file else { return }
        retries?.request { [weak self] in
            guard let self else { return }
            queues.watching.async { self.refreshLayers() }  // where all layers are read, so that no older state comes last
            if state.withLock({ $0.mustWriteSoon }) {
                guard save() == nil else { return }
                // Not later, for where the disk fails, writing succeeds, and fsync does not: there is one pause for both.
                if sync() != nil { tryAgain() }
            } else {
                refresh()
                if state.withLock({ $0.disk.isSyncMissed }), sync() != nil { tryAgain() }
            }
        }
    }
}

import Dispatch
import StoredValuesFiles
import StoredValuesSupport

// What happens after a turn has written its changes, or has failed to.

extension PreferencesStore {
    /// Publishes what was written, and schedules a sync. Without an identity it is in memory only.
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

    /// Publishes what could not be written, and retries.
    func wasNotWritten(_ changes: StoredMembers.Changes, _ error: PreferencesError, _ later: inout AfterUnlocking) {
        let (mustRead, isWaitingForLock) = state.withLock { state in
            state.wasNotWritten(changes, by: self, &later)
            state.log.note(error.description)
            return (state.disk.endWriting(), state.disk.isWaitingForLock)
        }
        if mustRead { queues.watching.async { self.refresh() } }
        // The thread that waits for the lock writes once it is free.
        if !isWaitingForLock { tryAgain() }
    }

    /// Keeps the file's inode in use, so that a later file is not mistaken for it.
    func pin(_ identity: FileIdentity?) -> FilePin? {
        guard case .success(let file?) = file, let identity else { return nil }
        return FilePin(identity, at: file.path, file.operations)
    }

    /// Waits for a lock that another process has held for too long, on a separate thread, then writes what is unsaved.
    func waitForLock(of file: DurableFile) {
        guard state.withLock({ $0.disk.beginWaitingForLock() }) else { return }
        DispatchQueue(label: "StoredValues.lock").async { [self] in
            _ = try? file.lock(timeout: nil)  // errors occur again, and are reported, when the change is written
            state.withLock { $0.disk.lockWasFree() }
            _ = save()
        }
    }

    /// Waits for a lock that timed out before as long as a change would. Without this, a flush just after another process has
    /// released the lock would fail all the same, because changes after the one that waited do not wait. Called outside of any
    /// turn, where it delays no change.
    func waitForStuckLock() {
        guard state.withLock({ $0.disk.isWaitingForLock }), case .success(let file?) = file else { return }
        guard (try? file.lock()) != nil else { return }  // the error occurs again when the change is written
        state.withLock { $0.disk.lockWasFree() }
    }

    /// Retries to write what is unsaved, as long as anything is, to sync it, and to read what could not be read: the cause may
    /// disappear without an event.
    func tryAgain() {
        guard case .success = file else { return }
        retries?.request { [weak self] in
            guard let self else { return }
            queues.watching.async { self.refreshLayers() }  // where all layers are read, so that an older state never replaces a newer one
            if state.withLock({ $0.mustWriteSoon }) {
                guard save() == nil else { return }
                // Not later: on a failing disk writing succeeds and fsync does not, and both share one pause.
                if sync() != nil { tryAgain() }
            } else {
                refresh()
                if state.withLock({ $0.disk.isSyncMissed }), sync() != nil { tryAgain() }
            }
        }
    }
}

import Dispatch
import StoredValuesFiles
import StoredValuesSupport
import Synchronization

// Writing the file, and making it survive a power cut.

extension PreferencesStore {
    /// The time limit of a flush. A busy disk is slow; one that takes longer hangs.
    static let flushDeadline = Duration.seconds(300)

    /// Returns when everything before it would survive a power cut, and throws what went wrong.
    ///
    /// When the task is cancelled, or the deadline passes, it throws at once, and what it has begun continues.
    func flush(deadline: Duration = flushDeadline) async throws(PreferencesError) {
        let hasProblem = watchProblem != nil
        // The layers are read too, and waited for at the end, for 5 s in all: a flush must not fail because they are on another machine.
        let endOfWaiting = ContinuousClock.now + .seconds(5)
        if hasProblem { queues.watching.async { [self] in refreshLayers(always: true) } }
        try await onDisk(deadline) { [self] in
            if hasProblem { refresh(always: true) }
            if state.withLock({ $0.needsWriting }) {
                waitForStuckLock()
                if let problem = save() { return problem }
            }
            guard let problem = syncGeneration() else { return nil }
            tryAgain()
            return problem
        }
        if hasProblem {
            try? await onDisk(endOfWaiting - .now, queues.watching) { nil }
            if Task.isCancelled { throw .cancelled(path: path) }
        }
        // Taken only now: refusals that no flush waits for any more belong to the next one.
        let refusals = state.withLock { $0.log.takeRefusals() }
        if let first = refusals.first { throw refusals.count > 1 ? .several(refusals) : first }
    }

    /// Runs `work` where a thread may wait for the disk, or on `queue`, and throws what went wrong.
    func onDisk(
        _ deadline: Duration = flushDeadline, _ queue: DispatchQueue? = nil, _ work: @escaping @Sendable () -> PreferencesError?
    ) async throws(PreferencesError) {
        let outcome = OneShot<PreferencesError?>()
        let alarm: Alarm
        do throws(SystemErrorCode) {
            alarm = try Alarm.set(after: deadline) { [path] in outcome.answer(.timedOut(path: path, after: deadline)) }
        } catch {
            throw .notSaved(path: path, reason: "To wait for the disk, \(error.withoutThread).")
        }
        defer { alarm.cancel() }
        (queue ?? queues.disk).async { outcome.answer(work()) }
        let problem = await outcome.wait(cancelled: .cancelled(path: path))
        if let problem { throw problem }
    }

    /// Makes `change` so that it survives a power cut, or not at all; what was set before and is unsaved is saved first.
    ///
    /// When the task is cancelled, or the deadline passes, it throws at once, and the change may still be made.
    func changeDurably(_ key: String, _ change: MemberChange) async throws(PreferencesError) {
        try await onDisk { [self] in
            refresh()
            if state.withLock({ $0.needsWriting }), let problem = save() { return problem }
            var turn = PreferencesTurn(.change("set(durably:)", key: key), of: self)  // a library thread, as in save()
            turn.changes[PreferencesKey(key)] = change
            do throws(PreferencesError) { try check(turn.changes) } catch {
                turn.cancel()
                return error
            }
            let (hasWritten, problem) = turn.commitDurably()
            // If nothing had to be written, the copy may be missing. Otherwise the turn has made it; later writes of others are not this call's.
            return problem ?? (hasWritten ? nil : syncGeneration())
        }
    }

    /// Removes the file and all beside it; see ``PreferencesFile/delete()``.
    func delete() async throws(PreferencesError) {
        try await onDisk { [self] in
            PreferencesTurn(.change("delete()", key: nil), of: self).deleteFile()  // a library thread, as in save()
        }
    }

    /// Syncs everything to the disk after a delay of at least `rest`.
    func scheduleSync(after rest: Duration) {
        queues.disk.async(after: max(syncDelay, rest)) { [self] in
            guard state.withLock({ $0.disk.isSyncScheduled }) else { return }  // another sync was faster
            let start = ContinuousClock.now
            let problem = sync()
            let cost = ContinuousClock.now - start
            state.withLock { $0.disk.syncCost = cost }
            guard let problem else { return }
            report { $0.note(unsavedFor: problem) }
            tryAgain()
        }
    }

    /// Syncs everything to the disk: the generation, and the file's own bytes too, so that the file need not be read back.
    func sync() -> PreferencesError? {
        state.withLock { $0.disk.isSyncScheduled = false }
        return bringToDisk { file, generation throws(FileError) in
            try file.syncContents()
            _ = try copy(to: generation)
        }
    }

    /// Makes the values in memory survive a power cut.
    private func syncGeneration() -> PreferencesError? {
        var isWhole = true
        let problem = bringToDisk { _, generation throws(FileError) in isWhole = try copy(to: generation) }
        guard problem == nil, !isWhole, generation?.holds(state.withLock { $0.disk.identity }) == false else { return problem }
        state.withLock { $0.disk.mustRewrite = true }
        return save() ?? bringToDisk { _, generation throws(FileError) in _ = try copy(to: generation) }
    }

    private func copy(to generation: DurableGeneration) throws(FileError) -> Bool {
        let (written, known) = state.withLock { state in
            // While the last write of this process is still all that it knows, its text need not be read back.
            let pin = state.members.unsaved.isEmpty ? state.disk.writtenPin : nil
            return (pin.map { (file: $0, bytes: state.members.document.text) }, state.disk.identity)
        }
        return try generation.keep(written) { contents in
            contents.identity == known || (try? PreferencesDocument(parsing: contents.bytes)) != nil
        }
    }

    private func bringToDisk(_ body: (DurableFile, DurableGeneration) throws(FileError) -> Void) -> PreferencesError? {
        guard case .success(let file?) = file, let generation else { return nil }
        do throws(FileError) {
            do throws(FileError) {
                try body(file, generation)
            } catch {
                // A process that cannot write has no data of its own to lose.
                guard error.isRefusal, state.withLock({ $0.disk.written }) == nil else { throw error }
                try file.sync()
            }
            state.withLock { $0.disk.isSyncMissed = false }
            return nil
        } catch {
            // A failure to make the copy, or to open a file, has not lost any written data.
            let ofOpening: [SystemErrorCode?] = [.accessDenied, .noEntry, .tooManyOpenFiles, .tooManyOpenFilesInSystem]
            let isLost = error.operation == .synchronize && !ofOpening.contains(error.code)
            state.withLock { state in
                state.disk.isSyncMissed = true
                if isLost { state.disk.mustRewrite = true }
            }
            return .notSaved(path: path, reason: error.description)
        }
    }

    // MARK: After a turn has written, or could not

    /// Publishes `changes`, with which the file was replaced by `document`, and schedules a sync. Without an identity it is in memory only.
    func publish(_ changes: MemberChanges, writtenIn document: PreferencesDocument, _ identity: FileIdentity?) {
        let pin = pin(identity)
        let rest = state.withLock { state in
            state.publish(changes, writtenIn: document, identity, pin)
            return identity == nil ? nil : state.disk.scheduleSync()
        }
        if let rest { scheduleSync(after: rest) }
    }

    /// Publishes `changes`, which could not be written, and retries.
    func keep(_ changes: MemberChanges, unwrittenFor error: PreferencesError) {
        state.withLock { state in
            state.keep(changes, by: self)
            state.log.note(unsavedFor: error)
        }
        // The thread that waits for the lock writes once it is free.
        if !isWaitingForLock.load(ordering: .relaxed) { tryAgain() }
    }

    /// Publishes nothing: the change was not made. The file may have been written anew with its old content, and is synced in the
    /// background.
    func giveUpWriting() {
        state.withLock { $0.disk.isSyncMissed = true }
        tryAgain()
    }

    /// Keeps the file's inode in use, so that a later file is not mistaken for it.
    func pin(_ identity: FileIdentity?) -> FilePin? {
        guard case .success(let file?) = file, let identity else { return nil }
        return FilePin(identity, at: file.path, file.operations)
    }

    /// Waits for a lock that another process has held for too long, on a separate thread, then writes what is unsaved.
    func waitForLock(of file: DurableFile) {
        guard !isWaitingForLock.exchange(true, ordering: .relaxed) else { return }
        DispatchQueue(label: "StoredValues.lock").async { [self] in
            _ = try? file.lock(timeout: nil)  // errors occur again, and are reported, when the change is written
            isWaitingForLock.store(false, ordering: .relaxed)
            _ = save()
        }
    }

    /// Waits for a lock that timed out before as long as a change would. Without this, a flush just after another process has released the
    /// lock would fail, because changes after the one that waited do not wait. Called outside of any turn, where it delays no change.
    private func waitForStuckLock() {
        guard isWaitingForLock.load(ordering: .relaxed), case .success(let file?) = file else { return }
        guard (try? file.lock(timeout: lockTimeout)) != nil else { return }  // the error occurs again when the change is written
        isWaitingForLock.store(false, ordering: .relaxed)
    }

    /// Retries to write what is unsaved, to sync it, and to read what could not be read: the cause may disappear without an event.
    func tryAgain() {
        retries?.request { [weak self] in
            guard let self else { return }
            // On the queue where all layers are read, so that an older state never replaces a newer one. Waited for, so that what fails again
            // is tried again after a longer pause; but at the end, because other files share the queue.
            defer { if !layers.isEmpty { queues.watching.sync { self.refreshLayers() } } }
            guard case .success = file else { return }
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

/// What this process knows about a preferences file on the disk, and which work on it is pending.
struct KnownFile {
    /// The file that the members were read from or written to; nil if there was none, or it is already gone.
    private var pin: FilePin?
    /// The file as this process last wrote it.
    private(set) var written: FileIdentity?
    /// Whether the members are those of the last durable state, because the file does not parse.
    var isRecovered = false
    /// Whether the file that the members are from is not pinned: it was gone or replaced too early, or the pin was released.
    private var isUnpinned = false
    /// The state in which the file was found broken; nil if it was whole when it was last read or written.
    private(set) var brokenIdentity: FileIdentity?
    /// Whether the file must be written even if no change is pending: a broken one is to be replaced, its copy is not whole, or a sync failed,
    /// and Linux has dropped its pages.
    var mustRewrite = false
    /// Whether a sync has failed and was not repeated yet.
    var isSyncMissed = false
    var isSyncScheduled = false
    /// How long the last background sync took.
    var syncCost = Duration.zero
    /// Whether a change of ours is being written to the file. What is read from it meanwhile may be that change.
    private(set) var isWriting = false
    /// Whether a read was requested while ``isWriting``.
    private var isReadingMissed = false

    /// The identity of the file whose content the members are.
    var identity: FileIdentity? { pin?.identity }

    /// Whether the members may differ from the file with ``identity``, which must be read then even if it looks unchanged.
    var isUncertain: Bool { isRecovered || isUnpinned }

    /// The same file if this process was the last to write it.
    var writtenPin: FilePin? { written == identity ? pin : nil }

    /// Notes that the members are those of the file that had this identity, and its pin. Returns what to release without a lock.
    mutating func wasRead(_ identity: FileIdentity?, _ new: FilePin?) -> FilePin? {
        defer { (pin, brokenIdentity, isRecovered, isUnpinned) = (new, nil, false, identity != nil && new == nil) }
        return pin
    }

    /// Notes that the file is no longer pinned, and so must be read again. Returns what to release without a lock.
    mutating func releasePin() -> FilePin? {
        defer { (pin, isUnpinned) = (nil, true) }
        return pin
    }

    /// Notes the state in which the file is broken, and returns whether that state is new.
    mutating func wasBroken(_ identity: FileIdentity?) -> Bool {
        defer { brokenIdentity = identity }
        return identity?.isUnwritten(since: brokenIdentity) != true
    }

    /// Whether the file may be read now. If not, ``endWriting()`` requests that.
    mutating func mayRead() -> Bool {
        isReadingMissed = isWriting
        return !isWriting
    }

    mutating func beginWriting() { isWriting = true }

    /// Returns whether the file must be read again.
    mutating func endWriting() -> Bool {
        defer { (isWriting, isReadingMissed) = (false, false) }
        return isReadingMissed
    }

    /// Notes that this process has replaced the file. Returns what to release without a lock.
    mutating func wasReplaced(_ identity: FileIdentity?, _ new: FilePin?) -> FilePin? {
        pin?.noteReplaced()
        (written, mustRewrite) = (identity, false)
        return wasRead(identity, new)
    }

    /// Requests a background sync. Returns after what time it should run, or nil if one is already scheduled.
    mutating func scheduleSync() -> Duration? {
        guard !isSyncScheduled else { return nil }
        isSyncScheduled = true
        // On a slow or busy disk, at most a tenth of the time is spent syncing.
        return min(syncCost * 10, .seconds(5))
    }
}

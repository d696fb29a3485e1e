import Dispatch
import StoredValuesFiles
import StoredValuesSupport

// Making values survive a power cut.

extension PreferencesStore {
    /// The time limit of a flush. A busy disk is slow; one that takes longer hangs.
    static let flushDeadline = Duration.seconds(300)

    /// Returns when everything before it would survive a power cut, and throws what went wrong.
    ///
    /// When the task is cancelled, or the deadline passes, it throws at once, and what it has begun continues.
    func flush(deadline: Duration = flushDeadline) async throws(PreferencesError) {
        let outcome = OneShot<PreferencesError?>()
        let alarm: Alarm
        do throws(SystemErrorCode) {
            alarm = try Alarm.set(after: deadline) { [path] in outcome.answer(.timedOut(path: path, after: deadline)) }
        } catch {
            throw .notSaved(path: path, reason: "To wait for the disk, \(error.withoutThread).")
        }
        defer { alarm.cancel() }
        queues.disk.async { outcome.answer(self.flushNow()) }
        let problem = await outcome.wait(cancelled: .cancelled(path: path))
        if let problem { throw problem }
        // Taken only now: refusals that no flush waits for any more belong to the next one.
        let refusals = state.withLock { $0.log.takeRefusals() }
        if let first = refusals.first { throw refusals.count > 1 ? .several(refusals) : first }
    }

    private func flushNow() -> PreferencesError? {
        if isBlind { refresh() }
        if case .failure(let error) = file, state.withLock({ !$0.members.unsaved.isEmpty }) { return error }
        if state.withLock({ $0.needsWriting }) {
            waitForStuckLock()
            if let problem = save() { return problem }
        }
        if let problem = syncGeneration() {
            tryAgain()
            return problem
        }
        return nil
    }

    /// Syncs everything to the disk after a delay of at least `rest`.
    func scheduleSync(after rest: Duration) {
        queues.disk.async(after: max(syncDelay, rest)) { [self] in
            guard state.withLock({ $0.disk.isSyncScheduled }) else { return }  // another sync was faster
            let start = ContinuousClock.now
            let problem = sync()
            let cost = ContinuousClock.now - start
            state.withLock { $0.disk.syncTook(cost) }
            guard let problem else { return }
            report(problem.description)
            tryAgain()
        }
    }

    /// Syncs everything to the disk: the generation, and the file's own bytes too, so that the file need not be read back.
    func sync() -> PreferencesError? {
        state.withLock { $0.disk.syncBegins() }
        return bringToDisk { file, generation throws(FileError) in
            try file.syncContents()
            _ = try keep(in: generation)
        }
    }

    /// Makes the values in memory survive a power cut.
    private func syncGeneration() -> PreferencesError? {
        var outcome = DurableGeneration.Outcome.kept
        let problem = bringToDisk { _, generation throws(FileError) in outcome = try keep(in: generation) }
        guard problem == nil, outcome == .broken, generation?.holds(state.withLock { $0.disk.identity }) == false else {
            return problem
        }
        state.withLock { $0.disk.wasSpoilt() }
        return save() ?? bringToDisk { _, generation throws(FileError) in _ = try keep(in: generation) }
    }

    private func keep(in generation: DurableGeneration) throws(FileError) -> DurableGeneration.Outcome {
        let (written, known) = state.withLock { state in
            // While the last write of this process is still all that it knows, its text need not be read back.
            let pin = state.members.unsaved.isEmpty ? state.disk.writtenPin : nil
            return (pin.map { (file: $0, bytes: state.members.document.text) }, state.disk.identity)
        }
        return try generation.keep(written) { contents in
            contents.identity == known || (try? PreferencesDocument(parsing: contents.bytes)) != nil
        }
    }

    private func bringToDisk(
        _ body: (DurableFile, DurableGeneration) throws(FileError) -> Void
    ) -> PreferencesError? {
        guard case .success(let file?) = file, let generation else { return nil }
        do throws(FileError) {
            do throws(FileError) {
                try body(file, generation)
            } catch {
                // A process that cannot write has no data of its own to lose.
                guard error.isRefusal, state.withLock({ $0.disk.written }) == nil else { throw error }
                try file.sync()
            }
            state.withLock { $0.disk.wasSynced() }
            return nil
        } catch {
            // A failure to make the copy, or to open a file, has not lost any written data.
            let ofOpening: [SystemErrorCode?] = [.accessDenied, .noEntry, .tooManyOpenFiles, .tooManyOpenFilesInSystem]
            let isLost = error.operation == .synchronize && !ofOpening.contains(error.code)
            state.withLock { $0.disk.wasNotSynced(isLost: isLost) }
            return .notSaved(path: path, reason: error.description)
        }
    }
}

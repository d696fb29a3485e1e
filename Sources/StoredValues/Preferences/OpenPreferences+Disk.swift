import Dispatch
import StoredValuesFiles
import StoredValuesSupport

// Making values survive a power cut.

extension OpenPreferences {
    /// Returns when everything before it would survive a power cut, and throws what went wrong.
    func flush() async throws(PreferencesError) {
        let problem = await withCheckedContinuation { continuation in
            background.async { continuation.resume(returning: self.flushNow()) }
        }
        if let problem { throw problem }
    }

    private func flushNow() -> PreferencesError? {
        if isBlind { refresh() }
        if case .failure(let error) = file, state.withLock({ !$0.unsaved.isEmpty }) { return error }
        if state.withLock({ $0.needsWriting }) {
            waitForStuckLock()
            if let problem = save() { return problem }
        }
        if let problem = syncGeneration() {
            tryAgain()
            return problem
        }
        return state.withLock { state in
            state.refusals.isEmpty ? nil : state.refusals.removeFirst()
        }
    }

    func scheduleSync() {
        let (isFirst, cost) = state.withLock { state in
            defer { state.isSyncScheduled = true }
            return (!state.isSyncScheduled, state.syncCost)
        }
        guard isFirst else { return }
        // Where the disk is slow, or many processes use it, at most a tenth of the time is spent on it.
        let rest = min(cost * 10, .seconds(5)).dispatchInterval
        background.asyncAfter(deadline: max(.now() + syncDelay, .now() + rest)) { [self] in
            guard state.withLock({ $0.isSyncScheduled }) else { return }  // something else was faster
            var problem: PreferencesError?
            let cost = ContinuousClock().measure { problem = sync() }
            state.withLock { $0.syncCost = cost }
            guard let problem else { return }
            report(problem.description)
            tryAgain()
        }
    }

    /// Brings everything to the disk: the generation, and the file's own bytes too, so that it need not be read.
    func sync() -> PreferencesError? {
        state.withLock { $0.isSyncScheduled = false }
        return bringToDisk { file, generation throws(FileError) in
            try file.syncContents()
            _ = try keep(in: generation)
        }
    }

    /// Makes the values in memory survive a power cut.
    private func syncGeneration() -> PreferencesError? {
        var outcome = DurableGeneration.Outcome.kept
        let problem = bringToDisk { _, generation throws(FileError) in outcome = try keep(in: generation) }
        guard problem == nil, outcome == .broken, generation?.holds(state.withLock { $0.identity }) == false else {
            return problem
        }
        // Somebody broke the file since it was read or written here.
        state.withLock { $0.mustRewrite = true }
        return save() ?? bringToDisk { _, generation throws(FileError) in _ = try keep(in: generation) }
    }

    private func keep(in generation: DurableGeneration) throws(FileError) -> DurableGeneration.Outcome {
        let (written, known) = state.withLock { state in
            // While what this process wrote last is still all of what it knows, its text need not be read back.
            let isOwn = state.written == state.identity && state.unsaved.isEmpty
            return (isOwn ? state.pin.map { (file: $0, bytes: state.document.text) } : nil, state.identity)
        }
        return try generation.keep(written) { contents in
            contents.identity == known || (try? PreferencesDocument(parsing: contents.bytes)) != nil
        }
    }

    private func bringToDisk(
        _ body: (DurableFile, DurableGeneration) throws(FileError) -> Void
    ) -> PreferencesError? {
        guard case .success(let file) = file, let generation else { return nil }
        do throws(FileError) {
            do throws(FileError) {
                try body(file, generation)
            } catch {
                // Where this process cannot write there is nothing of its own that a power cut could take.
                guard error.isRefusal, state.withLock({ $0.written }) == nil else { throw error }
                try file.sync()
            }
            state.withLock { $0.isSyncMissed = false }
            return nil
        } catch {
            // What keeps the copy from being made, or a file from being opened, has taken nothing from what was written.
            let ofOpening: [SystemErrorCode?] = [.accessDenied, .noEntry, .tooManyOpenFiles, .tooManyOpenFilesInSystem]
            let isLost = error.operation == .synchronize && !ofOpening.contains(error.code)
            state.withLock { state in
                state.isSyncMissed = true
                if isLost { state.mustRewrite = true }
            }
            return .notSaved(path: path, reason: error.description)
        }
    }
}

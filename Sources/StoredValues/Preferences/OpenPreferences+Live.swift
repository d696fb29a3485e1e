import Dispatch
import StoredValuesFiles
import StoredValuesSupport

// Hearing what other processes and editors write.

extension OpenPreferences {
    /// Watches `file` from now on, and runs `refresh` whenever it may have changed.
    ///
    /// The watch begins in the background, so that a program which only reads one value does not wait for it.
    func watch(_ file: DurableFile, _ refresh: @escaping @Sendable (OpenPreferences) -> Void) {
        guard file.operations.canBeWatched else { return }
        let isOwnerBusy: @Sendable () -> Bool = { [weak self] in self?.isBusy ?? false }
        let schedule = RefreshSchedule(on: refreshing, patience: patience, isOwnerBusy: isOwnerBusy) { [weak self] in
            if let self { refresh(self) }
        }
        refreshing.async { [weak self] in
            guard self != nil else { return }
            let watch = FileWatch(file, isOwnerBusy: isOwnerBusy) { schedule.note($0) }
            guard let self else { return }
            watches.withLock { $0.append(watch) }
            refresh(self)  // what changed before the watch began
            reportBlindness()
        }
    }

    /// Whether this process is changing the file, or did so just now.
    private var isBusy: Bool {
        let now = ContinuousClock.now
        return ownChanges.withLock { $0.isGoingOn || $0.last.map { now - $0 < .milliseconds(100) } ?? false }
    }

    /// Takes over what the file holds now, if somebody else changed it.
    func refresh() {
        guard case .success(let file) = file else { return }
        var aftermath = Aftermath()
        reading: do {
            // Not under the file's lock, for those who hold it may take their time. Where a change of ours came in between,
            // what was read is out of date.
            var isCurrent = false
            while !isCurrent, let (known, revision) = beginReading() {
                guard try file.currentIdentity() != known else { break }
                let reading = try PreferencesReading(known: nil, file.read)
                let pin = pin(reading.identity)
                isCurrent = state.withLock { state in
                    guard state.revision == revision, !state.isWriting else { return false }
                    if case .success(let document) = reading.document { state.adopt(document, pin, &aftermath) }
                    return true
                }
                if isCurrent, case .failure(let error) = reading.document {
                    noteBroken(reading.identity, error, inUse: "The last good values are in use.")
                }
            }
        } catch where error.code == .notFolder {
            // A file where a folder was: there is nothing to read, and the next change will say so.
        } catch {
            if error.isLackOfRoom { tryAgain() }
            // While something is unsaved its trouble was reported, and that what is not written is not read is no news.
            guard !state.withLock({ $0.needsWriting }) else { break reading }
            noteUnreadable(error)
        }
        aftermath.settle()
        logNotes()
        reportBlindness()
    }

    /// The state that what is read next belongs to; nil while a change of ours is being written, which reads again then.
    private func beginReading() -> (known: FileIdentity?, revision: Int)? {
        state.withLock { state in
            state.isRefreshMissed = state.isWriting
            return state.isWriting ? nil : (state.identity, state.revision)
        }
    }

    /// Whether changes by others may go unseen.
    var isBlind: Bool { blindness != nil }

    /// Why changes by others may go unseen. A path that leads nowhere is no reason: it is watched until it does.
    private var blindness: FileError? {
        watches.withLock { $0 }.lazy.compactMap(\.problem).first { $0.operation == .watch }
    }

    /// Says once why changes by others may go unseen.
    private func reportBlindness() {
        guard let problem = blindness else { return }
        let isFirst = state.withLock { state in
            defer { state.isBlindnessReported = true }
            return !state.isBlindnessReported
        }
        if isFirst { report("Changes that others make to \"\(path)\" are seen at the next change and flush() only. \(problem)") }
    }
}

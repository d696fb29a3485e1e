import Dispatch
import FoundationEssentials
import StoredValuesFiles
import StoredValuesSupport
import Synchronization

// Detecting changes by other processes, editors and administrators.

extension PreferencesStore {
    /// Watches `file` from now on, and runs `refresh` whenever it may have changed.
    ///
    /// The watch begins in the background, so that a program that only reads one value does not wait for it.
    func watch(_ file: DurableFile, _ refresh: @escaping @Sendable (PreferencesStore) -> Void) {
        guard file.operations.canBeWatched else { return }
        let schedule = RefreshSchedule(
            on: queues.watching, patience: patience, isOwnerBusy: { [weak self] in self?.turn.isBusy ?? false }
        ) { [weak self] in
            if let self { refresh(self) }
        }
        queues.watching.async { [weak self] in
            guard self != nil else { return }
            let watch = FileWatch(file) { schedule.note($0) }
            guard let self else { return }
            state.withLock { $0.watches.append((file, watch)) }
            refresh(self)  // for changes before the watch began
            reportWatchProblem()
        }
    }

    /// Takes over the current content of the file and the layers below it, even if they look unchanged: two changes within
    /// one tick of the file system's clock may look like one. When this returns, readers see the result.
    func reload() {
        var later = AfterUnlocking()
        if !read(always: true, &later) {
            // A change of ours is being written to the file. While this holds the turn, none is.
            turn.enter()
            _ = read(always: true, &later)
            turn.leave()
        }
        for layer in layers { read(layer.file, always: true, &later) }
        finish(later)
        reportWatchProblem()
    }

    /// Takes over the content of the file if another program has changed it, or `always`.
    func refresh(always: Bool = false) {
        var later = AfterUnlocking()
        _ = read(always: always, &later)
        finish(later)
        reportWatchProblem()
    }

    /// Reads the file if another program has changed it. While a change of ours is being written, returns false, and is repeated later.
    private func read(always: Bool = false, _ later: inout AfterUnlocking) -> Bool {
        guard case .success(let file?) = file else { return true }
        do throws(FileError) {
            // Not under the file's lock, which another process may hold for long. If a change of ours came in between, it is outdated.
            var isAdopted = false
            while !isAdopted {
                let begin = state.withLock { $0.disk.mayRead() ? ($0.disk.identity, $0.disk.isUncertain, $0.members.revision) : nil }
                guard let (known, isUncertain, revision) = begin else { return false }
                if !always, !isUncertain, try file.currentIdentity() == known { break }
                isAdopted = adopt(try PreferencesReading(known: nil, file.read), since: revision, &later)
            }
        } catch let error where error.code == .notFolder {
            // There is a file in place of a folder: nothing can be read, and the next change reports it.
        } catch {
            if error.code != nil { tryAgain() }  // no event tells that the owner, the mode or the disk was corrected
            // While something is unsaved, its error was reported already, and a read error adds nothing.
            if !state.withLock({ $0.needsWriting }) { noteUnreadable(error) }
        }
        return true
    }

    /// Takes over what was read, and notifies the members whose value has changed. A file that does not parse is logged, with what is
    /// `inUse` in its place. `revision` is that of the members when the read began; nil while the store is opened. False if something
    /// was stored since.
    func adopt(
        _ reading: PreferencesReading, since revision: Int? = nil,
        inUse: () -> String = { "The last good values are in use, and defaults where there are none." }, _ later: inout AfterUnlocking
    ) -> Bool {
        func isCurrent(_ state: borrowing PreferencesState) -> Bool {
            revision == nil || state.members.revision == revision && !state.disk.isWriting
        }
        switch reading.document {
        case .success(let document):
            let pin = pin(reading.identity)
            return exchange(while: isCurrent, &later) { members in
                members.adopt(document)
            } then: { state, later in
                state.fileWasRead(reading.identity, pin, &later)
            }
        case .failure(let error):
            guard let isNew = state.withLock({ isCurrent($0) ? $0.disk.wasBroken(reading.identity) : nil }) else { return false }
            guard isNew else { return true }  // said once for each state of the file
            note(
                "The preferences \"\(path)\" are not JSON: \(error). \(inUse()) Correct the file; before it is overwritten, it is set aside as \"\(path).rejected-<time>\"."
            )
            return true
        }
    }

    /// Changes the members with `change`, and notifies those whose value has changed. Returns false if `isCurrent` no longer holds.
    ///
    /// Old and new values are compared without a lock, because that may parse them; if something is stored meanwhile, all is repeated.
    func exchange(
        while isCurrent: (borrowing PreferencesState) -> Bool = { _ in true }, _ later: inout AfterUnlocking,
        _ change: (inout StoredMembers) -> [PreferencesError],
        then: (inout PreferencesState, inout AfterUnlocking) -> Void = { _, _ in }
    ) -> Bool {
        while true {
            let (old, keys) = state.withLock { ($0.members, $0.audience.keys) }
            var new = old
            let refusals = change(&new)
            let respelled = keys.filter { key in
                let (before, now) = (old.stored(key), new.stored(key))
                return before != now && StoredJSON.haveSameMeaning(before, now)
            }
            let isDone = state.withLock { state -> Bool? in
                guard isCurrent(state) else { return false }
                guard state.members.revision == old.revision else { return nil }
                for refusal in refusals { state.log.refuse(refusal) }
                state.exchange(new, respelled: Set(respelled), &later)
                then(&state, &later)
                return true
            }
            if let isDone { return isDone }
        }
    }

    /// Notes that the file cannot be read, and what is used.
    func noteUnreadable(_ error: FileError) {
        var error = error
        error.operation = .read  // whatever the step was, so that one error is not logged twice
        note("Could not read the preferences \"\(path)\"; the last good values are in use, and defaults where there are none. \(error)")
    }

    // MARK: Changes that inotify does not see

    /// The file, this one or else a layer, for which changes by other programs may go unseen, and why. A path that does not exist is no
    /// reason: its folders are watched until it does.
    var watchProblem: (file: DurableFile, reason: FileError)? {
        let problems = state.withLock { $0.watches }.compactMap { file, watch in watch.problem.map { (file: file, reason: $0) } }
            .filter { $0.reason.operation == .watch }
        return problems.first { problem in !layers.contains { $0.file === problem.file } } ?? problems.first
    }

    /// Whether the file must be read although it looks unchanged: a network file system may report a status that is some seconds old.
    /// Each change asks this, so it takes no lock of the watch until a problem is known.
    var mayMissChanges: Bool {
        guard isWatchProblemReported.load(ordering: .relaxed), case .success(let file?) = file else { return false }
        return state.withLock { $0.watches }.contains { $0.file.path.isIdentical(to: file.path) && $0.watch.problem?.operation == .watch }
    }

    /// Logs once why changes by other programs may go unseen.
    private func reportWatchProblem() {
        guard let (file, problem) = watchProblem, !isWatchProblemReported.exchange(true, ordering: .relaxed) else { return }
        let isLayer = layers.contains { $0.file === file }
        let (unseen, occasion) = isLayer ? (file.path, "flush()") : (path, "change or flush()")
        report { $0.note("Changes that other programs make to \"\(unseen)\" are seen only at the next \(occasion). \(problem)") }
    }
}

/// The content of a preferences file when it was read.
struct PreferencesReading {
    /// The file's identity; nil if there was none.
    let identity: FileIdentity?
    /// Its members, or why it is broken.
    let document: Result<PreferencesDocument, JSONSyntaxError>

    /// Reads with `read`, and again while the file may be half-written, for at most `patience`, or until `end` if there is one.
    ///
    /// It may be half-written if it was modified less than `patience` ago, and either does not parse or is the `known` file
    /// with other content. Blocks the thread meanwhile.
    init(
        known: FileIdentity?, patience: Duration = RefreshSchedule.patience, until end: ContinuousClock.Instant? = nil,
        _ read: () throws(FileError) -> FileContents?
    ) throws(FileError) {
        let end = end ?? ContinuousClock.now + patience
        self.init(try read())
        while mayBeHalfWritten(known, patience), ContinuousClock.now < end {
            sleepThread(nanoseconds: 10_000_000)
            self.init(try read())
        }
    }

    private init(_ contents: FileContents?) {
        identity = contents?.identity
        document = Result { () throws(JSONSyntaxError) in
            if let contents { try PreferencesDocument(parsing: contents.bytes) } else { PreferencesDocument() }
        }
    }

    private func mayBeHalfWritten(_ known: FileIdentity?, _ patience: Duration) -> Bool {
        guard let identity else { return false }
        let wasModifiedInPlace = identity != known && identity.inode == known?.inode && identity.device == known?.device
        guard wasModifiedInPlace || (try? document.get()) == nil else { return false }
        // The magnitude, because another machine's clock may be ahead.
        let age = Date.now.timeIntervalSince1970 - Double(identity.modified) / 1_000_000_000
        return Duration.seconds(age.magnitude) < patience
    }
}

import Dispatch
import StoredValuesFiles
import StoredValuesSupport

// Hearing what other processes, editors and administrators write.

extension PreferencesStore {
    /// Watches `file` from now on, and runs `refresh` whenever it may have changed.
    ///
    /// The watch begins in the background, so that a program which only reads one value does not wait for it.
    func watch(_ file: DurableFile, _ refresh: @escaping @Sendable (PreferencesStore) -> Void) {
        guard file.operations.canBeWatched else { return }
        let isOwnerBusy: @Sendable () -> Bool = { [weak self] in self?.turns.isBusy ?? false }
        let schedule = RefreshSchedule(on: queues.watching, patience: patience, isOwnerBusy: isOwnerBusy) { [weak self] in
            if let self { refresh(self) }
        }
        queues.watching.async { [weak self] in
            guard self != nil else { return }
            let watch = FileWatch(file, isOwnerBusy: isOwnerBusy) { schedule.note($0) }
            guard let self else { return }
            watches.withLock { $0.append(watch) }
            refresh(self)  // what changed before the watch began
            reportBlindness()
        }
    }

    /// Takes over what the file and the files of defaults hold now, even if they look unchanged: of two changes within a tick of the
    /// file system's clock it may tell the first only. When this returns, readers have it.
    func reload() {
        var later = AfterUnlocking()
        if !read(always: true, &later) {
            // A change of ours is on its way into the file. While this has the turn, there is none.
            turns.enter(.change("reload()", key: nil))
            _ = read(always: true, &later)
            turns.leave()
        }
        for file in layerFiles { refreshLayer(file, always: true, &later) }
        if turns.activity == nil { later.run() } else { state.withLock { [later] in $0.doAfterTurn(later) } }
        logNotes()
        reportBlindness()
    }

    /// Takes over what the file holds now, if somebody else changed it.
    func refresh() {
        var later = AfterUnlocking()
        _ = read(&later)
        later.run()
        logNotes()
        reportBlindness()
    }

    /// Reads the file if somebody else changed it. Returns false, and has ``refresh()`` run later, where a change of ours is being
    /// written.
    private func read(always: Bool = false, _ later: inout AfterUnlocking) -> Bool {
        guard case .success(let file?) = file else { return true }
        do throws(FileError) {
            // Not under the file's lock, for those who hold it may take their time. Where a change of ours came in between,
            // what was read is out of date.
            var adoption = Adoption.outdated
            while adoption == .outdated {
                guard let (known, revision) = beginReading() else { return false }
                if !always, try file.currentIdentity() == known { break }
                adoption = adopt(try PreferencesReading(known: nil, file.read), since: revision, &later)
            }
        } catch where error.code == .notFolder {
            // A file where a folder was: there is nothing to read, and the next change will say so.
        } catch {
            if error.isLackOfRoom { tryAgain() }
            // While something is unsaved its trouble was reported, and that what is not written is not read is no news.
            if !state.withLock({ $0.needsWriting }) { noteUnreadable(error) }
        }
        return true
    }

    /// The state that what is read next belongs to; nil while a change of ours is being written, which reads again then.
    private func beginReading() -> (known: FileIdentity?, revision: Int)? {
        state.withLock { state in
            state.disk.mayRead() ? (state.disk.identity, state.members.revision) : nil
        }
    }

    /// What became of what was read.
    enum Adoption {
        case adopted, broken
        /// Something was stored since it was read.
        case outdated
    }

    /// Takes over what was read, and tells the members whose value is another one now. What does not parse is noted.
    ///
    /// - Parameters:
    ///   - revision: That of the members when reading began; nil inside a turn, where the file stays as it is.
    ///   - inUse: Says what is used in place of what does not parse.
    func adopt(
        _ reading: PreferencesReading, since revision: Int? = nil,
        inUse: () -> String = { "The last good values are in use." }, _ later: inout AfterUnlocking
    ) -> Adoption {
        func isCurrent(_ state: borrowing PreferencesState) -> Bool {
            revision == nil || state.members.revision == revision && !state.disk.isWriting
        }
        switch reading.document {
        case .success(let document):
            let pin = pin(reading.identity)
            let isAdopted = exchange(while: isCurrent, &later) { members in
                members.adopt(document)
            } then: { state, later in
                state.fileWasRead(pin, &later)
            }
            return isAdopted ? .adopted : .outdated
        case .failure(let error):
            guard state.withLock({ isCurrent($0) }) else { return .outdated }
            noteBroken(reading.identity, error, inUse: inUse)
            return .broken
        }
    }

    /// Changes the members as `change` does, and tells those whose value is another one then. Returns false where `isCurrent` does
    /// not hold any more.
    ///
    /// Old and new values are compared with no lock held, for that may parse them; where something is stored meanwhile, all is
    /// done once more.
    private func exchange(
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
                return before != now && StoredJSON.saySame(before, now)
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

    /// Notes that the file is broken, and what is in use in its place; once for each state of it.
    private func noteBroken(_ identity: FileIdentity?, _ error: JSONSyntaxError, inUse: () -> String) {
        guard state.withLock({ $0.disk.wasBroken(identity) }) else { return }
        note(
            "The preferences \"\(path)\" are not JSON: \(error). \(inUse()) Correct the file; before anything is written over it, it is put aside as \"\(path).rejected-<time>\"."
        )
    }

    /// Notes that the file cannot be read, and what is in use.
    func noteUnreadable(_ error: FileError) {
        var error = error
        error.operation = .read  // whatever the step was; else one trouble would be told twice
        note("Could not read the preferences \"\(path)\"; the last good values are in use, and defaults where there are none. \(error)")
    }

    // MARK: The files of defaults

    /// Puts files of defaults below this one, the most important first, and reads them. Those already there stay.
    func addLayers(_ paths: [String], source: ValueSource = .system) {
        let known = state.withLock { $0.members.layers.map(\.file.path) }
        var layers = paths.filter { path in !known.contains { $0.isIdentical(to: path) } }.map { PreferencesLayer(path: $0, source: source) }
        for position in layers.indices { read(&layers[position]) }
        var later = AfterUnlocking()
        _ = exchange(&later) { members in
            members.add(layers)
            return []
        }
        later.run()
        // Another thread may have been faster with the same ones.
        for file in layerFiles where layers.contains(where: { $0.file === file }) { watch(file) { $0.refreshLayer(file) } }
        logNotes()
    }

    /// The files of defaults, the most important first.
    var layerFiles: [DurableFile] { state.withLock { $0.members.layers.map(\.file) } }

    /// Takes over what the files of defaults hold now.
    func refreshLayers() {
        for file in layerFiles { refreshLayer(file) }
    }

    private func refreshLayer(_ file: DurableFile) {
        var later = AfterUnlocking()
        refreshLayer(file, &later)
        later.run()
        logNotes()
    }

    private func refreshLayer(_ file: DurableFile, always: Bool = false, _ later: inout AfterUnlocking) {
        var isAdopted = false
        while !isAdopted {
            guard let known = state.withLock({ $0.members.layer(of: file) }) else { return }
            var layer = known
            guard read(&layer, always: always) else { return }
            // Another thread may have read a newer state meanwhile.
            isAdopted = exchange(while: { $0.members.layer(of: file)?.identity == known.identity }, &later) { [layer] members in
                members.adopt(layer)
                return []
            }
        }
    }

    /// Reads a layer if its file changed, or `always`, and returns whether it was read; trouble with it is noted once, and the last
    /// good values stay.
    @discardableResult
    private func read(_ layer: inout PreferencesLayer, always: Bool = false) -> Bool {
        let path = layer.file.path
        do {
            let isRead = try layer.read(always: always)
            state.withLock { $0.log.layerIsWhole(path) }
            return isRead
        } catch {
            if (error as? FileError)?.isLackOfRoom == true { tryAgain() }
            let trouble = "Could not read the system-wide preferences \"\(path)\"; what they said before stays in use. \(error)"
            state.withLock { $0.log.note(trouble, ofLayer: path) }
            return false
        }
    }

    // MARK: What inotify does not see

    /// Whether changes by others may go unseen.
    var isBlind: Bool { blindness != nil }

    /// Why changes by others may go unseen. A path that leads nowhere is no reason: it is watched until it does.
    private var blindness: FileError? {
        watches.withLock { $0 }.lazy.compactMap(\.problem).first { $0.operation == .watch }
    }

    /// Says once why changes by others may go unseen.
    private func reportBlindness() {
        guard let problem = blindness, state.withLock({ $0.disk.noteBlindness() }) else { return }
        report("Changes that others make to \"\(path)\" are seen at the next change and flush() only. \(problem)")
    }
}

import StoredValuesSupport

/// The file watches and which folders they use. There is one inotify watch per folder, for any number of users; it requests the
/// union of their events.
///
/// Changed under the thread's lock, including the system calls: so no event of a folder can be read before the folder is
/// entered here.
struct WatchTable {
    let inotify: Inotify
    /// The inotify instance while its thread runs.
    var instance: Int32?
    private var watches: [Int: Watch] = [:]
    private var folders: [Int32: Folder] = [:]
    private var lastNumber = 0

    init(_ inotify: Inotify) { self.inotify = inotify }

    /// A ``FileWatch``, which it does not retain.
    struct Watch {
        let file: DurableFile
        let onEvent: @Sendable (FileWatch.Event) -> Void
        /// Why it sees less than it should.
        var problem: FileError?
        /// What is watched; nil if nothing is, because of the problem.
        var path: WatchedPath?
        /// The inotify watch of the file's folder; nil while that is missing. Another folder has another number.
        var targetFolder: Int32?
        /// While its folders are being entered, events are not reported but restart that.
        fileprivate var isSettling = true
        fileprivate var isStale = false
    }

    private struct Folder {
        /// The events requested from the system.
        var events: FolderEvents = []
        var users: [Int: WatchedFolder] = [:]

        var wanted: FolderEvents { users.values.reduce(into: []) { $0.formUnion($1.events) } }
    }

    var isEmpty: Bool { watches.isEmpty }

    /// The watches that see less than they should because a resource is exhausted or a permission is missing. There is no event when that
    /// ends.
    var starved: [Int] {
        watches.filter { $0.value.problem.map { $0.code == .accessDenied || $0.operation == .watch && $0.isLackOfRoom } ?? false }.map(\.key)
    }

    /// Nil if the watch was ended.
    subscript(number: Int) -> Watch? { watches[number] }

    /// Adds a watch without folders, and returns its number.
    mutating func insert(_ file: DurableFile, _ onEvent: @escaping @Sendable (FileWatch.Event) -> Void) -> Int {
        lastNumber += 1
        watches[lastNumber] = Watch(file: file, onEvent: onEvent)
        return lastNumber
    }

    /// Ends a watch and returns what it retained, to be released without the lock.
    mutating func remove(_ number: Int) -> Watch? {
        for folder in folders(of: number) { leave(folder, number) }
        return watches.removeValue(forKey: number)
    }

    /// Ends all inotify watches after an error; returns the affected watches.
    mutating func fail(_ code: SystemErrorCode) -> [Int] {
        (instance, folders) = (nil, [:])
        for (number, watch) in watches { fail(number, FileError(.watch, watch.file.path, code)) }
        return Array(watches.keys)
    }

    /// Notes that nothing is watched.
    mutating func fail(_ number: Int, _ problem: FileError) {
        watches[number]?.path = nil
        watches[number]?.targetFolder = nil
        watches[number]?.problem = problem
    }
}

// The folders of a watch.
extension WatchTable {
    private func folders(of number: Int) -> [Int32] { folders.filter { $0.value.users[number] != nil }.map(\.key) }

    /// Watches the folders of `path` and no others. `isComplete` is false if one no longer exists; nil if the watch was ended,
    /// or nothing can be watched.
    mutating func watch(_ path: WatchedPath, for number: Int) -> (isComplete: Bool, failure: FileError?)? {
        guard let instance, var watch = watches[number] else { return nil }
        var (isComplete, failure) = (true, nil as FileError?)
        var entered: [Int32: WatchedFolder] = [:]
        func enter(_ folder: WatchedFolder) throws(SystemErrorCode) -> Int32 {
            let inotifyWatch = try inotify.watch(folder.path, for: folder.events, adding: true, in: instance)
            entered[inotifyWatch, default: folder].formUnion(folder)
            folders[inotifyWatch, default: Folder()].events.formUnion(folder.events)
            folders[inotifyWatch]?.users[number] = entered[inotifyWatch]
            return inotifyWatch
        }
        (watch.path, watch.targetFolder, watch.isStale) = (path, nil, false)
        for folder in path.folders {
            do {
                let inotifyWatch = try enter(folder)
                if path.reachesTarget, folder.path.isIdentical(to: ResolvedPath.folder(of: path.target)) { watch.targetFolder = inotifyWatch }
            } catch .noEntry, .notFolder, .linkCircle {
                isComplete = false
            } catch .accessDenied where folder.isOnlyPassedThrough {
                // A folder that may be entered but not read, like /home on some systems: its parent reports when it is moved or
                // deleted. The root is neither.
                guard folder.path != "/" else { continue }
                var parent = WatchedFolder(path: ResolvedPath.folder(of: folder.path))
                parent.insert(ResolvedPath.name(of: folder.path), .passage, [.deleted, .movedFrom, .movedTo])
                do { _ = try enter(parent) } catch { failure = failure ?? FileError(.watch, folder.path, error) }
            } catch {
                failure = failure ?? FileError(.watch, folder.path, error)
            }
        }
        for folder in folders(of: number) where entered[folder] == nil { leave(folder, number) }
        for (inotifyWatch, folder) in entered { isComplete = narrow(inotifyWatch, folder.path, instance) && isComplete }
        watches[number] = watch
        return (isComplete, failure)
    }

    /// Requests no more events than needed, so that irrelevant ones do not wake the process. Returns false if there is another
    /// folder at this path now. If that is one of ours, it has lost the events of other users: ending its watch makes all of them
    /// begin again.
    private mutating func narrow(_ folder: Int32, _ path: String, _ instance: Int32) -> Bool {
        guard let entry = folders[folder], entry.wanted != entry.events else { return true }
        let narrowed = try? inotify.watch(path, for: entry.wanted, adding: false, in: instance)
        guard narrowed == folder else {
            if let narrowed { inotify.unwatch(narrowed, in: instance) }
            return false
        }
        folders[folder]?.events = entry.wanted
        return true
    }

    private mutating func leave(_ folder: Int32, _ number: Int) {
        folders[folder]?.users[number] = nil
        guard folders[folder]?.users.isEmpty == true else { return }
        folders[folder] = nil
        if let instance { inotify.unwatch(folder, in: instance) }
    }

    /// Ends entering the folders, with `problem` as the only problem, unless something happened in the meantime: then returns
    /// false.
    mutating func settle(_ number: Int, _ problem: FileError?) -> Bool {
        // Without a path it has failed in the meantime, and has its problem.
        guard let watch = watches[number], let path = watch.path else { return true }
        guard !watch.isStale, path.isUnchanged(watch.file.operations) else { return false }
        watches[number]?.isSettling = false
        watches[number]?.problem = problem
        return true
    }

    /// Leaves the folders as they are, and makes the thread try again: the end of one of them is an event.
    mutating func giveUp(_ number: Int, _ problem: FileError) {
        guard let instance else { return }
        watches[number]?.isSettling = false
        fail(number, problem)
        if let folder = folders(of: number).first { inotify.unwatch(folder, in: instance) }
    }
}

// Events in the folders.
extension WatchTable {
    /// What `events` mean for each watch, in the order in which they first concerned it. The last event describes the state.
    mutating func findings(for events: [InotifyEvent]) -> [(number: Int, finding: WatchFinding)] {
        var order: [Int] = []
        var findings: [Int: WatchFinding] = [:]
        func note(_ number: Int, _ next: WatchFinding) {
            if findings[number] == nil { order.append(number) }
            let (event, mayLeadElsewhere) = findings[number] ?? next
            findings[number] = (next.event ?? event, next.mayLeadElsewhere || mayLeadElsewhere)
        }
        for event in events {
            if event.events.contains(.overflow) {
                for number in watches.keys.sorted() { note(number, (.uncertain, mayLeadElsewhere: true)) }
            }
            guard let folder = folders[event.watch] else { continue }
            for (number, user) in folder.users {
                if let finding = user.finding(for: event) { note(number, finding) }
            }
            if event.events.contains(.watchEnded) { folders[event.watch] = nil }  // by the system
        }
        return order.compactMap { number in
            guard let watch = watches[number], let finding = findings[number] else { return nil }
            guard watch.isSettling else { return (number, finding) }
            if finding.mayLeadElsewhere { watches[number]?.isStale = true }
            return nil
        }
    }
}

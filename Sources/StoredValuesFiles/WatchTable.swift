import StoredValuesSupport

/// Which watch uses which folder. There is one inotify watch per folder, for any number of users; it requests the union of
/// their events.
///
/// Changed under the thread's lock, including the system calls: so no event of a folder can be read before the folder is
/// entered here.
struct WatchTable {
    /// The inotify instance while its thread runs.
    var instance: Int32?
    private var watches: [Int: Watch] = [:]
    private var folders: [Int32: Folder] = [:]
    private var lastNumber = 0

    private struct Watch {
        let file: WatchedFile
        var status = WatchStatus()
        /// The inotify watches that it uses.
        var held: Set<Int32> = []
        /// While its folders are being entered, events are not reported but restart that.
        var isSettling = true
        var isStale = false
    }

    private struct Folder {
        /// The events requested from the system.
        var events: FolderEvents = []
        var users: [Int: FolderFilter] = [:]

        var wanted: FolderEvents { users.values.reduce(into: []) { $0.formUnion($1.events) } }
    }

    var isEmpty: Bool { watches.isEmpty }

    /// The watches that see less than they should, because a resource is exhausted.
    var starved: [(number: Int, file: WatchedFile)] {
        watches.compactMap { number, watch in
            guard let problem = watch.status.problem, problem.operation == .watch, problem.isLackOfRoom else { return nil }
            return (number, watch.file)
        }
    }

    /// Adds a watch without folders, and returns its number.
    mutating func insert(_ file: WatchedFile) -> Int {
        lastNumber += 1
        watches[lastNumber] = Watch(file: file)
        return lastNumber
    }

    /// Nil if the watch was ended.
    func status(of number: Int) -> WatchStatus? { watches[number]?.status }

    /// The file of a watch that has not ended.
    func file(of number: Int) -> WatchedFile? { watches[number]?.file }

    mutating func setProblem(_ problem: FileError?, of number: Int) {
        watches[number]?.status.problem = problem
    }

    /// Ends a watch and returns what it retained, to be released without the lock.
    mutating func remove(_ number: Int, _ inotify: any Inotify) -> WatchedFile? {
        guard let watch = watches.removeValue(forKey: number) else { return nil }
        for folder in watch.held { leave(folder, number, inotify) }
        return watch.file
    }

    /// Ends all inotify watches after an error; returns the affected watches.
    mutating func fail(_ code: SystemErrorCode) -> [Int] {
        instance = nil
        folders = [:]
        for (number, watch) in watches {
            watches[number]?.held = []
            watches[number]?.status = WatchStatus(problem: FileError(.watch, watch.file.path, code))
        }
        return Array(watches.keys)
    }
}

// The folders of a watch.
extension WatchTable {
    /// Watches the folders of `path` and no others. `isComplete` is false if one no longer exists; nil if the watch was ended,
    /// or nothing can be watched.
    mutating func watch(_ path: WatchedPath, for number: Int, _ inotify: any Inotify) -> (isComplete: Bool, failure: FileError?)? {
        guard let instance, var watch = watches[number] else { return nil }
        watch.isStale = false
        var entry = Entry(number: number, instance: instance)
        for folder in path.folders {
            do {
                let held = try enter(folder.path, folder.filter, &entry, inotify)
                if path.reachesTarget, folder.path.isIdentical(to: ResolvedPath.folder(of: path.target)) { entry.targetFolder = held }
            } catch .noEntry, .notFolder, .linkCircle {
                entry.isComplete = false
            } catch .accessDenied where folder.filter.isOnlyPassedThrough && folder.path != "/" {
                // A folder that may be entered but not read, like /home on some systems: its parent reports when it is moved or
                // deleted.
                var filter = FolderFilter()
                filter.insert(ResolvedPath.name(of: folder.path), .passage, [.deleted, .movedFrom, .movedTo])
                do {
                    _ = try enter(ResolvedPath.folder(of: folder.path), filter, &entry, inotify)
                } catch {
                    entry.failure = entry.failure ?? FileError(.watch, folder.path, error)
                }
            } catch {
                entry.failure = entry.failure ?? FileError(.watch, folder.path, error)
            }
        }
        for folder in watch.held where entry.filters[folder] == nil { leave(folder, number, inotify) }
        narrow(&entry, inotify)
        watch.held = Set(entry.filters.keys)
        watch.status.path = path
        watch.status.targetFolder = entry.targetFolder
        watches[number] = watch
        return (entry.isComplete, entry.failure)
    }

    /// The folders of one watch that were entered so far.
    private struct Entry {
        let number: Int
        let instance: Int32
        var filters: [Int32: FolderFilter] = [:]
        var paths: [Int32: String] = [:]
        var targetFolder: Int32?
        var isComplete = true
        var failure: FileError?
    }

    private mutating func enter(
        _ path: String, _ filter: FolderFilter, _ entry: inout Entry, _ inotify: any Inotify
    ) throws(SystemErrorCode) -> Int32 {
        let folder = try inotify.watch(path, for: filter.events, adding: true, in: entry.instance)
        entry.filters[folder, default: filter].formUnion(filter)
        entry.paths[folder] = path
        folders[folder, default: Folder()].events.formUnion(filter.events)
        folders[folder]?.users[entry.number] = entry.filters[folder]
        return folder
    }

    /// Requests no more events than needed, so that irrelevant ones do not wake the process.
    private mutating func narrow(_ entry: inout Entry, _ inotify: any Inotify) {
        for (watch, path) in entry.paths {
            guard let folder = folders[watch], folder.wanted != folder.events else { continue }
            let narrowed = try? inotify.watch(path, for: folder.wanted, adding: false, in: entry.instance)
            if narrowed == watch {
                folders[watch]?.events = folder.wanted
            } else {
                // There is another folder at this path now. If it is one of ours, it has lost the events of other users: ending
                // its watch makes all of them begin again.
                if let narrowed { inotify.unwatch(narrowed, in: entry.instance) }
                entry.isComplete = false
            }
        }
    }

    private mutating func leave(_ folder: Int32, _ number: Int, _ inotify: any Inotify) {
        folders[folder]?.users[number] = nil
        guard folders[folder]?.users.isEmpty == true else { return }
        folders[folder] = nil
        if let instance { inotify.unwatch(folder, in: instance) }
    }

    /// Ends entering the folders, with `problem` as the only problem, unless something happened in the meantime: then returns
    /// false.
    mutating func settle(_ number: Int, _ problem: FileError?) -> Bool {
        // Without a path it has failed in the meantime, and has its problem.
        guard let watch = watches[number], watch.status.path != nil else { return true }
        guard !watch.isStale else { return false }
        watches[number]?.isSettling = false
        watches[number]?.status.problem = problem
        return true
    }

    /// Leaves the folders as they are, and makes the thread try again: the end of one of them is an event.
    mutating func giveUp(_ number: Int, _ problem: FileError, _ inotify: any Inotify) {
        guard let instance, let watch = watches[number] else { return }
        watches[number]?.isSettling = false
        watches[number]?.status = WatchStatus(problem: problem)
        if let folder = watch.held.first { inotify.unwatch(folder, in: instance) }
    }
}

// Events in the folders.
extension WatchTable {
    /// What `events` mean for each watch, in the order in which they first concerned it.
    mutating func findings(for events: [InotifyEvent]) -> [(number: Int, finding: WatchFinding)] {
        var order: [Int] = []
        var findings: [Int: WatchFinding] = [:]
        func note(_ number: Int, _ finding: WatchFinding) {
            if findings[number] == nil { order.append(number) }
            findings[number, default: finding].append(finding)
        }
        for event in events {
            if event.events.contains(.overflow) {
                for number in watches.keys.sorted() { note(number, WatchFinding(event: .uncertain, check: .folders)) }
            }
            guard let folder = folders[event.watch] else { continue }
            for (number, filter) in folder.users {
                if let finding = filter.finding(for: event) { note(number, finding) }
            }
            if event.events.contains(.watchEnded) { forget(event.watch) }
        }
        return order.compactMap { number in
            guard let watch = watches[number], let finding = findings[number] else { return nil }
            if watch.isSettling {
                if finding.check != .none { watches[number]?.isStale = true }
                return nil
            }
            return (number, finding)
        }
    }

    /// The system no longer watches the folder.
    private mutating func forget(_ folder: Int32) {
        guard let users = folders.removeValue(forKey: folder)?.users.keys else { return }
        for number in users { watches[number]?.held.remove(folder) }
    }
}

import StoredValuesSupport

/// Which watch wants what of which folder. There is one inotify watch for each folder, however many want it; what the
/// system is asked to tell is what they want together.
///
/// Changed under the thread's lock, system calls included: so no event of a folder can be read before it is entered here.
struct WatchTable {
    /// The inotify instance while its thread runs.
    var instance: Int32?
    private var watches: [Int: Watch] = [:]
    private var folders: [Int32: Folder] = [:]
    private var lastNumber = 0

    private struct Watch {
        let file: WatchedFile
        var status = WatchStatus()
        /// The inotify watches it takes part in.
        var held: Set<Int32> = []
        /// While its folders are being entered, events are not told but make it begin again.
        var isSettling = true
        var isStale = false
    }

    private struct Folder {
        /// What the system was asked to tell.
        var events: FolderEvents = []
        var users: [Int: FolderFilter] = [:]

        var wanted: FolderEvents { users.values.reduce(into: []) { $0.formUnion($1.events) } }
    }

    var isEmpty: Bool { watches.isEmpty }

    /// What asks each owner whether it is changing its file. Apart from the files, whose handlers go when their watches end.
    var busyQuestions: [@Sendable () -> Bool] { watches.values.map(\.file.isOwnerBusy) }

    /// The watches that see less than they should, or nothing, for want of room.
    var starved: [(number: Int, file: WatchedFile)] {
        watches.compactMap { number, watch in
            guard let problem = watch.status.problem, problem.operation == .watch, problem.isLackOfRoom else { return nil }
            return (number, watch.file)
        }
    }

    /// Enters a watch that has no folders yet, and returns its number.
    mutating func insert(_ file: WatchedFile) -> Int {
        lastNumber += 1
        watches[lastNumber] = Watch(file: file)
        return lastNumber
    }

    /// Nil when the watch was ended.
    func status(of number: Int) -> WatchStatus? { watches[number]?.status }

    /// The file of a watch that has not ended.
    func file(of number: Int) -> WatchedFile? { watches[number]?.file }

    mutating func setProblem(_ problem: FileError?, of number: Int) {
        watches[number]?.status.problem = problem
    }

    /// Ends a watch and returns what it held, to be released outside the lock.
    mutating func remove(_ number: Int, _ inotify: any Inotify) -> WatchedFile? {
        guard let watch = watches.removeValue(forKey: number) else { return nil }
        for folder in watch.held { leave(folder, number, inotify) }
        return watch.file
    }

    /// Nothing is watched any more; returns those that were.
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
    /// Watches the folders of `path` and no others. `isComplete` is false when one was not there any more; nil when the
    /// watch was ended, or nothing can be watched.
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
                // A folder that may be entered but not read, as /home often is: its parent tells when it goes.
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

    /// The folders of one watch, as far as they were entered.
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

    /// Asks for no more than is wanted, so that what concerns nobody does not wake the process.
    private mutating func narrow(_ entry: inout Entry, _ inotify: any Inotify) {
        for (watch, path) in entry.paths {
            guard let folder = folders[watch], folder.wanted != folder.events else { continue }
            let narrowed = try? inotify.watch(path, for: folder.wanted, adding: false, in: entry.instance)
            if narrowed == watch {
                folders[watch]?.events = folder.wanted
            } else {
                // Another folder lies there now. If it is one of ours, it has lost what others want of it: its end makes
                // all of them begin again.
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

    /// The folders are right and `problem` is all that is wrong, unless something happened in the meantime: then false.
    mutating func settle(_ number: Int, _ problem: FileError?) -> Bool {
        // Without a path it has failed in the meantime, and has its problem.
        guard let watch = watches[number], watch.status.path != nil else { return true }
        guard !watch.isStale else { return false }
        watches[number]?.isSettling = false
        watches[number]?.status.problem = problem
        return true
    }

    /// Leaves the folders as they are, and lets the thread try again: the end of one of them is an event.
    mutating func giveUp(_ number: Int, _ problem: FileError, _ inotify: any Inotify) {
        guard let instance, let watch = watches[number] else { return }
        watches[number]?.isSettling = false
        watches[number]?.status = WatchStatus(problem: problem)
        if let folder = watch.held.first { inotify.unwatch(folder, in: instance) }
    }
}

// What happens in the folders.
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

    /// The system watches the folder no longer.
    private mutating func forget(_ folder: Int32) {
        guard let users = folders.removeValue(forKey: folder)?.users.keys else { return }
        for number in users { watches[number]?.held.remove(folder) }
    }
}

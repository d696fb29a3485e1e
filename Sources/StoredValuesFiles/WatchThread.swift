import StoredValuesSupport

/// The thread that reads the events of all file watches of the process, and their inotify instance. Both begin with the first
/// watch and end after the last one. In between the thread sleeps in `read`.
final class WatchThread: Sendable {
    static let shared = WatchThread(SystemInotify())

    /// How long the thread pauses after events while there are ``OwnChanges``.
    private static let rest = 2_000_000
    /// How often the links and folders on the way may change while a watch is being set up.
    private static let attemptLimit = 100

    private let inotify: any Inotify
    private let table = Guarded(WatchTable())
    private let retries: RetryThread

    init(_ inotify: any Inotify, retries: RetryThread = RetryThread()) {
        self.inotify = inotify
        self.retries = retries
    }

    /// Begins to watch `file`, and returns the watch's number once no change can be missed.
    func begin(_ file: WatchedFile) -> Int {
        let number = table.withLock { table in
            let number = table.insert(file)
            do throws(SystemErrorCode) {
                try start(&table)
            } catch {
                table.setProblem(FileError(.watch, file.path, error), of: number)
            }
            return number
        }
        settle(number, file, at: file.currentPath())
        return number
    }

    /// Ends the watch with this number, if it has not ended.
    func end(_ number: Int) {
        // The handler's captures are released here, without the lock: releasing them may end other watches.
        let ended = table.withLock { $0.remove(number, inotify) }
        withExtendedLifetime(ended) {}
    }

    func problem(of number: Int) -> FileError? { table.withLock { $0.status(of: number)?.problem } }

    /// Watches the folders on the way of `file`, and repeats that until they are unchanged.
    private func settle(_ number: Int, _ file: WatchedFile, at first: WatchedPath) {
        defer { tryAgain() }
        var path = first
        for _ in 0..<Self.attemptLimit {
            guard let (isComplete, failure) = table.withLock({ $0.watch(path, for: number, inotify) }) else { return }
            let again = file.currentPath()
            let hidden = again == path ? hiddenChanges(at: path) : nil
            let problem = path.obstacle ?? failure ?? hidden
            let isSettled = isComplete && again == path && table.withLock { $0.settle(number, problem) }
            if isSettled { return }
            path = again
        }
        table.withLock { $0.giveUp(number, FileError(.watch, file.path, .keepsChanging), inotify) }
    }

    /// Retries after a while what failed because a resource was exhausted.
    private func tryAgain() {
        guard table.withLock({ !$0.starved.isEmpty }) else { return }
        retries.request { [self] in
            for (number, file) in table.withLock({ $0.starved }) { beginAgain(number, file) }
            tryAgain()
        }
    }

    private func beginAgain(_ number: Int, _ file: WatchedFile) {
        let before = problem(of: number)
        let isStarted = table.withLock { table in
            // If it was the last watch and has ended, nothing would end the thread.
            guard table.file(of: number) != nil else { return false }
            return (try? start(&table)) != nil
        }
        guard isStarted else { return }
        settle(number, file, at: file.currentPath())
        // Changes until now were not seen.
        if problem(of: number) != before { tell(.uncertain, number) }
    }

    /// The error if a folder on the way is on a file system where inotify does not see all changes.
    private func hiddenChanges(at path: WatchedPath) -> FileError? {
        for folder in path.folders where !folder.filter.isOnlyPassedThrough {
            if let type = inotify.fileSystemType(at: folder.path), MountTable.hidesChanges(type) {
                return FileError(.watch, path.target, .changesUnseen(fileSystem: type))
            }
        }
        return nil
    }
}

// The thread.
extension WatchThread {
    private func start(_ table: inout WatchTable) throws(SystemErrorCode) {
        guard table.instance == nil else { return }
        let instance = try inotify.open()
        do {
            try startThread(named: "file-watch") { self.run(instance) }
        } catch {
            inotify.close(instance)
            throw error
        }
        table.instance = instance
    }

    private func run(_ instance: Int32) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 8)
        defer {
            buffer.deallocate()
            inotify.close(instance)
        }
        while true {
            do {
                let count = try inotify.read(instance, into: buffer)
                tell(InotifyEvent.all(in: UnsafeRawBufferPointer(rebasing: buffer[..<count])))
                if OwnChanges.areRecent { sleepThread(nanoseconds: Self.rest) }
            } catch {
                for number in table.withLock({ $0.fail(error) }) { tell(.uncertain, number) }
                tryAgain()
                return
            }
            // The end of the last folder's watch is itself an event, so the thread gets here.
            let isLast = table.withLock { table in
                if table.isEmpty { table.instance = nil }
                return table.isEmpty
            }
            if isLast { return }
        }
    }

    private func tell(_ events: [InotifyEvent]) {
        for (number, finding) in table.withLock({ $0.findings(for: events) }) {
            if let event = outcome(of: finding, number) { tell(event, number) }
        }
    }

    private func tell(_ event: FileWatch.Event, _ number: Int) {
        // An earlier handler may have ended it.
        guard let file = table.withLock({ $0.file(of: number) }) else { return }
        file.onEvent(event)
    }

    /// The event to report to the owner, after watching the folders that are on the way now.
    private func outcome(of finding: WatchFinding, _ number: Int) -> FileWatch.Event? {
        guard finding.check != .none else { return finding.event }
        guard let file = table.withLock({ $0.file(of: number) }) else { return nil }
        let path = file.currentPath()
        guard let before = table.withLock({ $0.status(of: number) }) else { return nil }
        if finding.check == .path, path == before.path { return finding.event }
        settle(number, file, at: path)
        guard let after = table.withLock({ $0.status(of: number) }) else { return nil }
        // Also if the folder was missing before: it may have come and gone meanwhile, and the owner have read its content.
        if after.targetFolder == nil, after.problem == before.problem { return .movedAway }
        if !after.leadsToSamePlace(as: before) || after.problem != before.problem { return .uncertain }
        return finding.event ?? .uncertain
    }
}

import StoredValuesSupport
import Synchronization

/// The thread that reads the events of all file watches of the process, and their inotify instance. Both begin with the first
/// watch and end after the last one. In between the thread sleeps in `read`.
final class WatchThread: Sendable {
    static let shared = WatchThread(Inotify())

    /// When this process last replaced a file. While it does so again and again, the thread rests between events: each replacement
    /// has half a dozen of them, most of the temporary file, and waking a thread for each costs a third of the time of the change.
    static let lastOwnChange = Atomic(Int64.min)
    private static let rest = 2_000_000
    /// How often the links and folders on the way may change while a watch is being set up.
    private static let attemptLimit = 100

    private let inotify: Inotify
    private let table: Guarded<WatchTable>
    private let retries: RetryThread

    init(_ inotify: Inotify, retries: RetryThread = RetryThread()) {
        (self.inotify, self.retries) = (inotify, retries)
        table = Guarded(WatchTable(inotify))
    }

    /// Begins to watch the path of `file`, and returns the watch's number once no change can be missed.
    func begin(_ file: DurableFile, _ onEvent: @escaping @Sendable (FileWatch.Event) -> Void) -> Int {
        let number = table.withLock { table in
            let number = table.insert(file, onEvent)
            do throws(SystemErrorCode) { try start(&table) } catch { table.fail(number, FileError(.watch, file.path, error)) }
            return number
        }
        settle(number, file)
        return number
    }

    /// Ends the watch with this number, if it has not ended.
    func end(_ number: Int) {
        // The handler's captures are released here, without the lock: releasing them may end other watches.
        let ended = table.withLock { $0.remove(number) }
        withExtendedLifetime(ended) {}
    }

    func problem(of number: Int) -> FileError? { table.withLock { $0[number]?.problem } }

    /// Watches the folders on the way to `file`, and repeats that until they are unchanged.
    private func settle(_ number: Int, _ file: DurableFile) {
        defer { tryAgain() }
        var path = WatchedPath(of: file)
        for _ in 0..<Self.attemptLimit {
            guard let (isComplete, failure) = table.withLock({ $0.watch(path, for: number) }) else { return }
            let again = WatchedPath(of: file)
            let hidden = again == path ? hiddenChanges(at: path) : nil
            let problem = path.obstacle ?? failure ?? hidden
            if isComplete, again == path, table.withLock({ $0.settle(number, problem) }) { return }
            path = again
        }
        table.withLock { $0.giveUp(number, FileError(.watch, file.path, .keepsChanging)) }
    }

    /// Retries after a while what failed because a resource was exhausted, or for lack of permission.
    private func tryAgain() {
        guard table.withLock({ !$0.starved.isEmpty }) else { return }
        retries.request { [self] in
            for number in table.withLock({ $0.starved }) { beginAgain(number) }
            tryAgain()
        }
    }

    private func beginAgain(_ number: Int) {
        // Not if it has ended: if it was the last watch, nothing would end the thread.
        let found = table.withLock { table in table[number].flatMap { (try? start(&table)) == nil ? nil : $0 } }
        guard let watch = found else { return }
        settle(number, watch.file)
        // Changes until now were not seen.
        if problem(of: number) != watch.problem { tell(.uncertain, number) }
    }

    /// The error if a folder on the way is on a file system where inotify does not see all changes, or the file is mounted by itself: what
    /// happens to that is an event of the folder that it was mounted from.
    private func hiddenChanges(at path: WatchedPath) -> FileError? {
        do throws(FileError) {
            for folder in path.folders where !folder.isOnlyPassedThrough {
                guard let type = try inotify.mount(of: folder.path)?.type, MountTable.hidesChanges(type) else { continue }
                return FileError(.watch, path.target, .changesUnseen(fileSystem: type))
            }
            return try inotify.mount(of: path.target)?.isHere == true ? FileError(.watch, path.target, .mountPoint) : nil
        } catch {
            return FileError(.watch, path.target, error.reason)
        }
    }
}

// The thread.
extension WatchThread {
    private func start(_ table: inout WatchTable) throws(SystemErrorCode) {
        guard table.instance == nil else { return }
        let instance = try inotify.open()
        do { try startThread(named: "file-watch") { self.run(instance) } } catch {
            inotify.close(instance)
            throw error
        }
        table.instance = instance
    }

    private func run(_ instance: Int32) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 8)
        defer { buffer.deallocate() }
        defer { inotify.close(instance) }
        while true {
            do {
                let count = try inotify.read(instance, into: buffer)
                let events = InotifyEvent.all(in: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                for (number, finding) in table.withLock({ $0.findings(for: events) }) {
                    if let event = outcome(of: finding, number) { tell(event, number) }
                }
                let isResting = Self.lastOwnChange.load(ordering: .relaxed) > monotonicNanoseconds() - 100_000_000
                if isResting { sleepThread(nanoseconds: Self.rest) }
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

    private func tell(_ event: FileWatch.Event, _ number: Int) {
        // An earlier handler may have ended it.
        table.withLock({ $0[number] })?.onEvent(event)
    }

    /// The event to report to the owner, after watching the folders that are on the way now.
    private func outcome(of finding: WatchFinding, _ number: Int) -> FileWatch.Event? {
        guard let before = table.withLock({ $0[number] }) else { return nil }
        if !finding.mayLeadElsewhere, before.path?.isUnchanged(before.file.operations) == true { return finding.event }
        settle(number, before.file)
        guard let after = table.withLock({ $0[number] }) else { return nil }
        // Also if the folder was missing before: it may have come and gone meanwhile, and the owner have read its content.
        if after.targetFolder == nil, after.problem == before.problem { return .movedAway }
        let leadsThere = after.path?.target == before.path?.target && after.targetFolder == before.targetFolder
        return leadsThere && after.problem == before.problem ? finding.event ?? .uncertain : .uncertain
    }
}

#if Store
    import Dispatch
    import FoundationEssentials
    import GRDB
    import Logging
    import StoredValuesFiles
    import StoredValuesSupport
    import Synchronization

    /// The database of one file, with its stores. Each read and each change is a turn; turns run one after another.
    ///
    /// It has a rollback journal, not a write-ahead log: items are read from memory, so concurrent readers would gain nothing. Without the
    /// log there are no checkpoints, its bug by which SQLite before 3.51.3 loses commits (sqlite.org/wal.html#walresetbug) cannot occur,
    /// and readers are never woken too early: the file changes only under a lock that they wait for.
    final class ItemDatabase: Sendable {
        private struct Connection {
            let queue: DatabaseQueue
            /// The file that was opened; nil if it is in memory.
            let identity: FileIdentity?
            var hasTables = false
            /// Changes with each commit of another connection (sqlite.org/pragma.html#pragma_data_version).
            var dataVersion: Int64?
        }

        private struct State {
            var file: DurableFile?
            var watch: FileWatch?
            var isWatchProblemReported = false
            var connection: Connection?
            /// The transaction of the turn, for what is read while an item is decoded.
            var transaction: Database?
            /// The readers that are being brought up to date.
            var busy: Set<ObjectIdentifier> = []
        }

        /// The file has no tables any more: the turn begins again, and finds or makes what is there then.
        private struct TablesAreGone: Error {}

        private struct WeakReader {
            weak var reader: (any ItemReader)?
        }

        /// Those of this process, one for each file.
        static let inUse = WeakTable<[UInt8], ItemDatabase>()

        let file: StoreFile
        let turns = Turns()
        nonisolated(unsafe) private var state = State()  // used in turns only
        private let weakReaders = Guarded<[ObjectIdentifier: WeakReader]>([:])
        private let others = DispatchQueue(label: "StoredValues.store.others")
        private let willReadOthers = Atomic(false)
        /// When this last made a change of the file, in nanoseconds.
        private let lastChange = Atomic(Int64.min)
        private let retries = RetryThread()

        init(_ file: StoreFile) { self.file = file }

        deinit { Self.inUse.remove(file.key) }

        var path: String { (try? file.place.path) ?? "(no file)" }

        // MARK: Transactions, in a turn

        /// Brings all readers up to date. They decode under SQLite's shared lock: while a very large store is decoded, nobody can commit.
        func read(_ later: inout AfterUnlocking) throws {
            if let database = state.transaction { return try readOthers(database, &later) }
            guard try connect(creating: false) else {
                for reader in readers { try reader.read(nil, &later) }
                return
            }
            do { try transaction(.deferred, &later) { _ in } } catch is TablesAreGone { try read(&later) }
        }

        /// Brings all readers up to date, then runs `body`. Its changes are committed and synced when this returns; if it
        /// throws, nothing has changed.
        func write<Result>(_ later: inout AfterUnlocking, _ body: (Database) throws -> Result) throws -> Result {
            requireProperUse(state.transaction == nil, "A store was changed while an item of \"\(path)\" was updated or decoded. Do it before or after.")
            FileWatch.noteOwnChange()
            do {
                _ = try connect(creating: true)
                let result = try transaction(.immediate, &later, body)
                lastChange.store(monotonicNanoseconds(), ordering: .relaxed)
                return result
            } catch is TablesAreGone {
                return try write(&later, body)  // it has not run
            } catch let error as DatabaseError where error.resultCode == .SQLITE_IOERR || error.resultCode == .SQLITE_READONLY && mayBeWritten {
                // After a failed sync only the file shows its state. A connection that could only read stays read-only.
                disconnect()
                do { try read(&later) } catch { readOthersSoon() }
                throw error
            }
        }

        private func transaction<Result>(
            _ kind: Database.TransactionKind, _ later: inout AfterUnlocking, _ body: (Database) throws -> Result
        ) throws -> Result {
            guard let queue = state.connection?.queue else { throw StoreError.notAccessible(path: path, reason: "It is not open. Try again.") }
            return try queue.unsafeReentrantWrite { database in
                // Kept prepared: GRDB would compile it for each transaction, a tenth of the time of an insertion.
                try database.cachedStatement(sql: kind == .immediate ? "BEGIN IMMEDIATE" : "BEGIN DEFERRED").execute()
                do {
                    state.transaction = database
                    defer { state.transaction = nil }
                    try readOthers(database, &later)
                    let result = try body(database)
                    try database.cachedStatement(sql: "COMMIT").execute()
                    return result
                } catch {
                    try? database.rollback()
                    throw error
                }
            }
        }

        /// Gives readers what other processes have committed, and new readers everything. Skips a reader whose items read their own store
        /// while they are decoded.
        private func readOthers(_ database: Database, _ later: inout AfterUnlocking) throws {
            let version = try database.integer("PRAGMA data_version")
            let isSame = version == state.connection?.dataVersion
            // A newer version of this library may have changed the tables, and an empty database may have been restored into the file.
            if !isSame, try !ItemSchema.isThere(database, path) {
                state.connection?.hasTables = false
                throw TablesAreGone()
            }
            for reader in readers where !isSame || !reader.isCurrent {
                guard state.busy.insert(ObjectIdentifier(reader)).inserted else { continue }
                defer { state.busy.remove(ObjectIdentifier(reader)) }
                try reader.read(ItemRows(database: database, store: reader.name), &later)
            }
            if state.busy.isEmpty { state.connection?.dataVersion = version }
        }

        // Not released under the lock: it may be the last reference, and a user's `deinit` may call back.
        private var readers: [any ItemReader] { weakReaders.withLock { $0.values.compactMap(\.reader) } }

        func add(_ reader: any ItemReader) { weakReaders.withLock { $0[ObjectIdentifier(reader)] = WeakReader(reader: reader) } }
        /// Called by the reader's `deinit`.
        func remove(_ reader: ObjectIdentifier) { weakReaders.withLock { $0[reader] = nil } }

        // MARK: The connection

        private var mayBeWritten: Bool { FileManager.default.isWritableFile(atPath: path) }

        /// Opens the database, or opens it anew if the file was replaced. Returns whether its tables are there.
        private func connect(creating: Bool) throws -> Bool {
            guard let file = try watchedFile() else {
                if state.connection == nil { state.connection = try open(":memory:", nil) }
                return try hasTables(creating: true)
            }
            var identity = try file.currentIdentity()
            if let identity, let opened = state.connection?.identity, identity.isSameFile(as: opened) {
                if identity.size == 0 { state.connection?.hasTables = false }  // somebody has emptied it
                return try hasTables(creating: creating)
            }
            disconnect()
            if identity == nil {
                guard creating else { return false }
                try file.createIfMissing()
                identity = try file.currentIdentity()
            }
            state.connection = try open(try file.resolvedPath, identity)
            return try hasTables(creating: creating)
        }

        /// The file, watched; nil if there is none. Logs once why changes of other processes may go unseen.
        private func watchedFile() throws -> DurableFile? {
            if state.file == nil, let path = try file.place.path {
                let file = DurableFile(path: path)
                state.file = file
                state.watch = FileWatch(file) { [weak self] _ in self?.readOthersSoon() }
            }
            guard !state.isWatchProblemReported, let problem = state.watch?.problem, problem.operation == .watch else { return state.file }
            state.isWatchProblemReported = true
            Logger(label: "StoredValues").warning("What other programs change in \"\(path)\" is seen only at the next change of this one. \(problem)")
            return state.file
        }

        private func disconnect() {
            try? state.connection?.queue.close()
            state.connection = nil
            for reader in readers { reader.expectAnotherFile() }
        }

        private func open(_ path: String, _ identity: FileIdentity?) throws -> Connection {
            var configuration = Configuration()
            configuration.foreignKeysEnabled = false
            // Processes are served in no particular order: SQLite's locks have no queue.
            configuration.busyMode = .callback { [weak self] attempts in
                guard let self, !turns.isLate(attempt: attempts) else { return false }
                sleepThread(nanoseconds: attempts < 20 ? 100_000 : 1_000_000)
                return true
            }
            configuration.prepareDatabase { database in
                // Before anything else: another program's file must not be changed.
                try database.inTransaction(.deferred) {
                    _ = try ItemSchema.isThere(database, path)
                    return .commit
                }
                // A commit then ends with a sync of the journal's header, and no folder has to be synced.
                let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode = PERSIST")
                if mode == "wal" { throw StoreError.locked(path: path, after: Turns.timeout) }  // another program has the log open
                try database.setTriggers(false)
                try database.execute(sql: "PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 65536; PRAGMA trusted_schema = OFF")
                try database.execute(sql: "PRAGMA temp_store = MEMORY")  // there may be no folder for temporary files
            }
            return Connection(queue: try DatabaseQueue(path: path, configuration: configuration), identity: identity)
        }

        private func hasTables(creating: Bool) throws -> Bool {
            guard let connection = state.connection, !connection.hasTables else { return true }
            let hasTables = try connection.queue.unsafeReentrantWrite { [path] database in
                var isThere = false
                try database.inTransaction(.deferred) {
                    isThere = try ItemSchema.isThere(database, path)
                    return .commit
                }
                if isThere { return true }
                guard creating else { return false }
                try database.execute(sql: "PRAGMA auto_vacuum = FULL")  // possible only before the first table
                try database.inTransaction(.immediate) {
                    if try !ItemSchema.isThere(database, path) { try database.execute(sql: ItemSchema.tables) }
                    return .commit
                }
                return true
            }
            state.connection?.hasTables = hasTables
            return hasTables
        }

        // MARK: Other processes

        /// Reads what another process may have committed, without blocking the caller.
        func readOthersSoon() {
            guard !willReadOthers.exchange(true, ordering: .acquiringAndReleasing) else { return }
            // Each of our own changes reads what others did, and triggers the watch itself. While one follows another, a turn for reading is
            // not needed, and would only delay the next one.
            let isBusy = lastChange.load(ordering: .relaxed) > monotonicNanoseconds() - Self.rest.nanoseconds
            others.async(after: isBusy ? Self.rest : .zero) { [weak self] in
                self?.willReadOthers.store(false, ordering: .sequentiallyConsistent)
                if isBusy { self?.readOthersSoon() } else { self?.readOthersOrRetry() }
            }
        }

        private static let rest = Duration.milliseconds(10)

        private func readOthersOrRetry() {
            do {
                try turns.run { later in
                    do { try read(&later) } catch {
                        // In the turn: after it, a change may succeed that knows nothing of this.
                        for reader in readers { reader.fail(StoreError(any: error, path: path), &later) }
                        throw error
                    }
                }
            } catch { retries.request { [weak self] in self?.readOthersOrRetry() } }
        }
    }

    /// A store that is given, in turns, what is in the file.
    protocol ItemReader: AnyObject, Sendable {
        var name: String { get }
        var itemType: any Any.Type { get }
        /// Whether it has read everything, but for the last commits of other processes.
        var isCurrent: Bool { get }
        /// Reads what it has not read yet. Without a file there are no rows, and so no item.
        func read(_ rows: ItemRows?, _ later: inout AfterUnlocking) throws
        /// The next rows may be those of another file.
        func expectAnotherFile()
        /// The file cannot be read.
        func fail(_ error: StoreError, _ later: inout AfterUnlocking)
    }
#endif

#if Store
    import GRDB
    import StoredValuesFiles
    import StoredValuesSupport

    /// An ``ItemRow`` of any store.
    package struct StoredRow: Sendable {
        package let store: String
        package let id: [UInt8]
        package let version: Int
        package let json: [UInt8]

        package init(store: String, id: [UInt8], version: Int, json: [UInt8]) {
            (self.store, self.id, self.version, self.json) = (store, id, version, json)
        }
    }

    /// What is in a file of stores, for the command line tool.
    package struct StoreFileContents: Sendable {
        /// The file's path, with links resolved.
        package let path: String
        /// Whether the file has the tables of stores. Without them it is empty, and was not checked.
        package fileprivate(set) var hasTables = false
        /// The rows of all stores, in the order of insertion.
        package fileprivate(set) var rows: [StoredRow] = []
        /// Why some rows could not be read.
        package fileprivate(set) var damage: StoreError?
        /// What SQLite's check found; empty if the file is sound, or was not checked.
        package fileprivate(set) var faults: [String] = []
    }

    /// What is known of a file of stores without opening it as a database.
    package struct StoreFileInspection: Sendable {
        /// The path, with links resolved.
        package let path: String
        package let mode: UInt32
        /// Whether the journal beside it can roll back a change, which is being made or was interrupted.
        package let hasHotJournal: Bool
        package let hasWriteAheadLog: Bool
        /// Whether it is a database, and not one of stores.
        package let isForeign: Bool
    }

    extension StoreFile {
        /// How thoroughly SQLite looks for damage.
        package enum Check: String, Sendable {
            /// All but whether the indexes fit.
            case quick = "PRAGMA quick_check"
            case full = "PRAGMA integrity_check"
        }

        package static let versionOfTables = ItemSchema.version

        /// Nil if there is no file. Not for a process that uses the file: closing what was opened to look into it would end the locks that
        /// SQLite has of it in the whole process (fcntl(2)).
        package func inspect() throws(StoreError) -> StoreFileInspection? {
            try attempt { () throws -> StoreFileInspection? in
                guard let path = try place.path else { return nil }
                let file = DurableFile(path: path)
                guard try file.currentIdentity() != nil else { return nil }
                let target = try file.resolvedPath
                let header = try file.start(72, at: target)  // sqlite.org/fileformat.html
                let isDatabase = header.starts(with: "SQLite format 3\0".utf8)
                let isOurs = header.dropFirst(68).reduce(0) { $0 << 8 | Int64($1) } == ItemSchema.applicationID
                return StoreFileInspection(
                    path: target, mode: try file.status(at: target, followingLinks: true)?.mode ?? 0,
                    hasHotJournal: try file.start(8, at: target + "-journal") == [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7],
                    // The versions for writing and reading.
                    hasWriteAheadLog: header.dropFirst(18).prefix(2).contains(2), isForeign: isDatabase && !isOurs)
            }
        }

        /// What is in the file; nil if there is no file. Creates none. As ``inspect()``, not for a process that uses the file.
        ///
        /// - Parameter mayRestore: Whether an interrupted change may be rolled back, and a write-ahead log be written into the file. Without
        ///   that this throws ``StoreError/readOnly(path:)`` or ``StoreError/notAccessible(path:reason:)`` where it is necessary.
        package func contents(_ check: Check? = nil, mayRestore: Bool = true) throws(StoreError) -> StoreFileContents? {
            guard let found = try inspect() else { return nil }
            if found.hasWriteAheadLog, !mayRestore { throw .notAccessible(path: found.path, reason: "It has a write-ahead log.") }
            return try attempt {
                var configuration = Configuration()
                configuration.readonly = !(mayRestore && (found.hasHotJournal || found.hasWriteAheadLog))
                configuration.busyMode = .timeout(Double(Turns.timeout.components.seconds))
                configuration.prepareDatabase { try $0.execute(sql: "PRAGMA trusted_schema = OFF") }
                let queue = try DatabaseQueue(path: found.path, configuration: configuration)
                return try queue.unsafeRead { database in
                    var contents = StoreFileContents(path: found.path)
                    try database.inTransaction(.deferred) {
                        contents.hasTables = try ItemSchema.isThere(database, found.path)
                        if contents.hasTables {
                            if let check { try contents.check(database, check) }
                            try contents.read(database)
                        }
                        return .rollback  // there is nothing to commit, and in a damaged file SQLite refuses that
                    }
                    return contents
                }
            }
        }

        /// Inserts the rows, each at the end of its store or in place of the one with its id, in one transaction. It is committed and
        /// synced when this returns; if it throws, nothing has changed.
        package func insert(_ rows: [StoredRow]) throws(StoreError) {
            try attempt {
                let file = ItemDatabase(self)
                try file.turns.run { later in
                    try file.write(&later) { database in
                        for row in rows {
                            let store = ItemRows(database: database, store: row.store)
                            let revision = try ItemRows.next(after: store.lastRevision())
                            if try !store.replace(row.id, row.json, version: row.version, revision: revision) {
                                let number = try ItemRows.next(after: store.lastNumber())
                                try store.insert([(number, row.id, row.json)], version: row.version, revision: revision)
                            }
                        }
                    }
                }
            }
        }

        private func attempt<Result>(_ body: () throws -> Result) throws(StoreError) -> Result {
            let path = try path
            do { return try body() } catch { throw StoreError(any: error, path: path) }
        }
    }

    extension StoreFileContents {
        fileprivate mutating func check(_ database: Database, _ check: StoreFile.Check) throws {
            do {
                let lines = try String.fetchAll(database, sql: check.rawValue).flatMap { $0.parts(separatedBy: "\n") }
                faults = lines.filter { $0 != "ok" && !$0.begins(with: "*") }  // the latter are titles
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT { damage = StoreError(error, path: path) }
        }

        fileprivate mutating func read(_ database: Database) throws {
            var last: Int64?
            do {
                let cursor = try Self.cursor(database, "TRUE ORDER BY number")
                while let row = try cursor.next() {
                    rows.append(StoredRow(row))
                    last = row[0]
                }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
                damage = StoreError(error, path: path)
                // Rows behind the damage are read from the end.
                var rest: [StoredRow] = []
                if let cursor = try? Self.cursor(database, "\(last.map { "number > \($0)" } ?? "TRUE") ORDER BY number DESC") {
                    while let row = try? cursor.next() { rest.append(StoredRow(row)) }
                }
                rows += rest.reversed()
            }
        }

        private static func cursor(_ database: Database, _ condition: String) throws -> RowCursor {
            try Row.fetchCursor(database, sql: "SELECT number, store, id, version, json FROM items NOT INDEXED WHERE \(condition)")
        }
    }

    extension StoredRow {
        fileprivate init(_ row: Row) {
            func bytes(_ column: Int) -> [UInt8] { (try? row.withUnsafeData(atIndex: column) { $0.map { [UInt8]($0) } }) ?? [] }
            self.init(store: bytes(1).text, id: bytes(2), version: max(0, Int.fromDatabaseValue(row[3]) ?? 0), json: bytes(4))
        }
    }

    extension DurableFile {
        /// The first bytes of the file at `path`; fewer or none if it is shorter, or missing.
        fileprivate func start(_ limit: Int, at path: String) throws(FileError) -> [UInt8] {
            do throws(SystemErrorCode) {
                let descriptor = try operations.open(path, for: .reading)
                defer { operations.close(descriptor) }
                return try [UInt8](unsafeUninitializedCapacity: limit) { buffer, count throws(SystemErrorCode) in
                    count = try operations.read(descriptor, into: UnsafeMutableRawBufferPointer(buffer))
                }
            } catch {
                if error == .noEntry { return [] }
                throw FileError(.read, path, error)
            }
        }
    }
#endif

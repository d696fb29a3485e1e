#if Store
    import FoundationEssentials
    import GRDB

    /// An item as the file has it.
    struct ItemRow: Sendable {
        /// Its place in the order of insertion.
        let number: Int64
        /// The JSON of the item's id.
        let id: [UInt8]
        /// The version of the item's type when it was written.
        let version: Int
        let json: [UInt8]
        let revision: Int64
    }

    /// The rows of one store, inside a transaction.
    struct ItemRows {
        let database: Database
        let store: String

        // MARK: Reading

        /// The rows changed after `revision`, by revision.
        func changed(after revision: Int64) throws -> [ItemRow] {
            let columns = "SELECT number, id, version, json, revision FROM items WHERE store = ?"
            if revision == 0 { return try rows("\(columns)", [store]) }  // all; by the index it would take three times as long
            return try rows("\(columns) AND revision > ? ORDER BY revision, number", [store, revision])
        }

        private func rows(_ sql: String, _ arguments: StatementArguments) throws -> [ItemRow] {
            let cursor = try Row.fetchCursor(database.cachedStatement(sql: sql), arguments: arguments)
            var rows: [ItemRow] = []
            while let row = try cursor.next() {
                // A column may hold what its type does not say: SQLite only prefers it.
                guard let number = Int64.fromDatabaseValue(row[0]), let version = Int.fromDatabaseValue(row[2]) ?? 0 as Int?,
                    let revision = Int64.fromDatabaseValue(row[4])
                else { continue }
                try rows.append(ItemRow(number: number, id: bytes(row, 1), version: version, json: bytes(row, 3), revision: revision))
            }
            return rows
        }

        private func bytes(_ row: Row, _ column: Int) throws -> [UInt8] {
            try row.withUnsafeData(atIndex: column) { data in data.map { [UInt8]($0) } ?? [] }
        }

        /// What was removed after `revision`, by revision; nil if that is not known any more.
        func removed(after revision: Int64) throws -> [(id: [UInt8], revision: Int64)]? {
            let (missed, overflow) = try lastRevision().subtractingReportingOverflow(revision)
            guard !overflow, missed <= ItemSchema.keptRemovals else { return nil }
            let statement = try database.cachedStatement(sql: "SELECT id, revision FROM removed WHERE store = ? AND revision > ? ORDER BY revision")
            let cursor = try Row.fetchCursor(statement, arguments: [store, revision])
            var removed: [(id: [UInt8], revision: Int64)] = []
            while let row = try cursor.next() { try removed.append((bytes(row, 0), row[1])) }
            return removed
        }

        /// The ids of all rows.
        func ids() throws -> Set<[UInt8]> {
            let cursor = try Row.fetchCursor(database.cachedStatement(sql: "SELECT id FROM items WHERE store = ?"), arguments: [store])
            var ids: Set<[UInt8]> = []
            while let row = try cursor.next() { try ids.insert(bytes(row, 0)) }
            return ids
        }

        /// The revision of the last change; 0 if there was none.
        func lastRevision() throws -> Int64 {
            try Int64.fetchOne(database.cachedStatement(sql: "SELECT \(ItemSchema.last("?1"))"), arguments: [store]) ?? 0
        }

        /// The revision of the next change. A file may have any number, put there by hand.
        func nextRevision() throws -> Int64 {
            let (next, overflow) = try lastRevision().addingReportingOverflow(1)
            guard !overflow else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the revision is the largest number") }
            return next
        }

        // MARK: Changing

        private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

        /// Inserts a row at the end; returns its number.
        func insert(_ id: [UInt8], _ json: [UInt8], version: Int, revision: Int64) throws -> Int64 {
            let sql = "INSERT INTO items (store, id, version, json, revision) VALUES (?, ?, ?, ?, ?)"
            try database.cachedStatement(sql: sql).execute(arguments: [store, text(id), version, text(json), revision])
            return database.lastInsertedRowID
        }

        /// Replaces the content of a row, which keeps its place; false if there is none.
        ///
        /// Rows are found by their ids: a backup that was copied into the file may have others with the same numbers.
        func replace(_ id: [UInt8], _ json: [UInt8], version: Int, revision: Int64) throws -> Bool {
            let sql = "UPDATE items SET version = ?, json = ?, revision = ? WHERE store = ? AND id = ?"
            try database.cachedStatement(sql: sql).execute(arguments: [version, text(json), revision, store, text(id)])
            return database.changesCount > 0
        }

        func remove(_ id: [UInt8]) throws {
            try database.cachedStatement(sql: "DELETE FROM items WHERE store = ? AND id = ?").execute(arguments: [store, text(id)])
        }

        func removeAll() throws { try database.cachedStatement(sql: "DELETE FROM items WHERE store = ?").execute(arguments: [store]) }

        /// Forgets removals that every reader has seen by now, or reads anew.
        func forgetOldRemovals() throws {
            let sql = "DELETE FROM removed WHERE store = ? AND revision < ?"
            try database.cachedStatement(sql: sql).execute(arguments: [store, max(0, lastRevision()) - Int64(ItemSchema.keptRemovals)])
        }
    }
#endif

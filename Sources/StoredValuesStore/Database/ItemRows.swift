#if Store
    import CStoredValues
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
            var (sql, arguments): (String, StatementArguments) = ("SELECT number, id, version, json, revision FROM items WHERE store = ?", [store])
            if revision != 0 {  // all of them by the index would take three times as long
                sql += " AND revision > ? ORDER BY revision, number"
                arguments += [revision]
            }
            let cursor = try Row.fetchCursor(database.cachedStatement(sql: sql), arguments: arguments)
            var rows: [ItemRow] = []
            while let row = try cursor.next() {
                // SQLite's columns may hold what their type does not say. The number is always one in our tables, but not in a table that somebody has
                // put in their place.
                guard let number = Int64.fromDatabaseValue(row[0]) else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a row has no number") }
                let version = max(0, Int.fromDatabaseValue(row[2]) ?? 0), revision = Int64.fromDatabaseValue(row[4]) ?? 0
                try rows.append(ItemRow(number: number, id: bytes(row, 1), version: version, json: bytes(row, 3), revision: revision))
            }
            return rows
        }

        private func bytes(_ row: Row, _ column: Int) throws -> [UInt8] {
            try row.withUnsafeData(atIndex: column) { data in data.map { [UInt8]($0) } ?? [] }
        }

        /// What was removed after `revision`, by revision; nil if that is not known any more, at the `last` one.
        func removed(after revision: Int64, last: Int64) throws -> [(id: [UInt8], revision: Int64)]? {
            let (missed, overflow) = last.subtractingReportingOverflow(revision)
            guard !overflow, missed <= ItemSchema.keptRemovals else { return nil }
            let statement = try database.cachedStatement(sql: "SELECT id, revision FROM removed WHERE store = ? AND revision > ? AND typeof(id) = 'text' ORDER BY revision")
            let cursor = try Row.fetchCursor(statement, arguments: [store, revision])
            return try Array(cursor.map { row in (id: try bytes(row, 0), revision: row[1] as Int64) })
        }

        /// The ids of all rows.
        func ids() throws -> Set<[UInt8]> {
            let cursor = try Row.fetchCursor(database.cachedStatement(sql: "SELECT id FROM items WHERE store = ?"), arguments: [store])
            return try Set(cursor.map { row in try bytes(row, 0) })
        }

        /// The revision of the last change; 0 if there was none.
        func lastRevision() throws -> Int64 {
            try Int64.fetchOne(database.cachedStatement(sql: "SELECT \(ItemSchema.last("?1"))"), arguments: [store]) ?? 0
        }

        /// The largest number of a row, of any store.
        func lastNumber() throws -> Int64 { try database.integer("SELECT max(number) FROM items") }

        /// The next number or revision. A file may have any, put there by hand.
        static func next(after last: Int64) throws -> Int64 {
            let (next, overflow) = last.addingReportingOverflow(1)
            guard !overflow else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a row has the largest number or revision") }
            return next
        }

        // MARK: Changing

        func insert(_ rows: [(number: Int64, id: [UInt8], json: [UInt8])], version: Int, revision: Int64) throws {
            let sql = "INSERT INTO items (number, store, id, version, json, revision) VALUES (?, ?, ?, ?, ?, ?)"
            for row in rows {
                try change(sql, [.integer(row.number), .string(store), .text(row.id), .integer(Int64(version)), .text(row.json), .integer(revision)])
            }
        }

        /// Replaces the content of a row, which keeps its place; false if there is none.
        ///
        /// Rows are found by their ids: a backup that was copied into the file may have others with the same numbers.
        func replace(_ id: [UInt8], _ json: [UInt8], version: Int, revision: Int64) throws -> Bool {
            let sql = "UPDATE items SET version = ?, json = ?, revision = ? WHERE store = ? AND id = ?"
            try change(sql, [.integer(Int64(version)), .text(json), .integer(revision), .string(store), .text(id)])
            return database.changesCount > 0
        }

        func remove(_ id: [UInt8], after last: Int64) throws -> Int64 { try remove(where: "store = ? AND id = ?", [.string(store), .text(id)], after: last) }
        func removeAll(after last: Int64) throws -> Int64 { try remove(where: "store = ?", [.string(store)], after: last) }

        /// Removes rows, and notes that with the revisions after the last one. Returns how many there were.
        private func remove(where condition: String, _ arguments: [Argument], after last: Int64) throws -> Int64 {
            let rows = "SELECT store, ? + row_number() OVER (ORDER BY number), id FROM items WHERE \(condition)"
            try change("INSERT INTO removed (store, revision, id) \(rows)", [.integer(last)] + arguments)
            try change("DELETE FROM items WHERE \(condition)", arguments)
            return Int64(database.changesCount)
        }

        /// Forgets removals that every reader has seen by now, or reads anew.
        func forgetOldRemovals(before last: Int64) throws {
            try change(
                "DELETE FROM removed WHERE store = ? AND revision < ?",
                [.string(store), .integer(max(0, last) - Int64(ItemSchema.keptRemovals))])
        }

        private enum Argument {
            case integer(Int64)
            case string(String)
            case text([UInt8])
        }

        /// Runs a statement, which stays prepared. With GRDB's arguments that takes longer than SQLite needs for an insertion.
        private func change(_ sql: String, _ arguments: [Argument]) throws {
            // After some errors SQLite rolls back by itself, also where code of the user's has met and swallowed them: each statement would be
            // a transaction of its own.
            guard database.isInsideTransaction else { throw DatabaseError(resultCode: .SQLITE_ABORT, message: "the transaction was rolled back") }
            let statement = try database.cachedStatement(sql: sql).sqliteStatement
            defer { sqlite3_clear_bindings(statement) }  // else the connection would keep a copy of the last item
            for (place, argument) in zip(Int32(1)..., arguments) {
                switch argument {
                case .integer(let integer): try check(sqlite3_bind_int64(statement, place, integer))
                case .string(let string): try check(stored_values_bind_text(statement, place, string, string.utf8.count))
                case .text(let text): try check(stored_values_bind_text(statement, place, text, text.count))
                }
            }
            try check(stored_values_run(statement))
        }

        private func check(_ code: Int32) throws {
            guard code == 0 else { throw DatabaseError(resultCode: ResultCode(rawValue: code), message: database.lastErrorMessage) }
        }
    }
#endif

#if Store
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
                // SQLite's columns may hold what their type does not say; only the number is always one.
                let version = Int.fromDatabaseValue(row[2]) ?? 0, revision = Int64.fromDatabaseValue(row[4]) ?? 0
                try rows.append(ItemRow(number: row[0], id: bytes(row, 1), version: version, json: bytes(row, 3), revision: revision))
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

        /// Inserts rows. A statement for each would take up to a half longer for 10,000.
        func insert(_ rows: [(number: Int64, id: [UInt8], json: [UInt8])], version: Int, revision: Int64) throws {
            var rest = rows[...]
            while !rest.isEmpty {
                let part = rest.prefix(100)
                let sql = part.count == 1 ? Self.insertOne : Self.insert(part.count)
                var arguments: StatementArguments = [store, version, revision]
                for row in part { arguments += [row.number, row.id.text, row.json.text] }
                let isUsual = part.count == 1 || part.count == 100
                try change(isUsual ? database.cachedStatement(sql: sql) : database.makeStatement(sql: sql), arguments)
                rest = rest.dropFirst(part.count)
            }
        }

        private static let insertOne = insert(1)

        private static func insert(_ count: Int) -> String {
            let values = (0..<count).map { "(?\(3 * $0 + 4), ?1, ?\(3 * $0 + 5), ?2, ?\(3 * $0 + 6), ?3)" }
            return "INSERT INTO items (number, store, id, version, json, revision) VALUES \(values.joined(separator: ", "))"
        }

        /// Replaces the content of a row, which keeps its place; false if there is none.
        ///
        /// Rows are found by their ids: a backup that was copied into the file may have others with the same numbers.
        func replace(_ id: [UInt8], _ json: [UInt8], version: Int, revision: Int64) throws -> Bool {
            let sql = "UPDATE items SET version = ?, json = ?, revision = ? WHERE store = ? AND id = ?"
            try change(database.cachedStatement(sql: sql), [version, json.text, revision, store, id.text])
            return database.changesCount > 0
        }

        func remove(_ id: [UInt8], after last: Int64) throws -> Int64 { try remove(where: "store = ? AND id = ?", [store, id.text], after: last) }
        func removeAll(after last: Int64) throws -> Int64 { try remove(where: "store = ?", [store], after: last) }

        /// Removes rows, and notes that with the revisions after the last one. Returns how many there were.
        private func remove(where condition: String, _ arguments: StatementArguments, after last: Int64) throws -> Int64 {
            let rows = "SELECT store, ? + row_number() OVER (ORDER BY number), id FROM items WHERE \(condition)"
            try change(database.cachedStatement(sql: "INSERT INTO removed (store, revision, id) \(rows)"), [last] + arguments)
            try change(database.cachedStatement(sql: "DELETE FROM items WHERE \(condition)"), arguments)
            return Int64(database.changesCount)
        }

        private func change(_ statement: Statement, _ arguments: StatementArguments) throws {
            // After some errors SQLite rolls back by itself, also where code of the user's has met and swallowed them: each statement would be
            // a transaction of its own.
            guard database.isInsideTransaction else { throw DatabaseError(resultCode: .SQLITE_ABORT, message: "the transaction was rolled back") }
            try statement.execute(arguments: arguments)
        }

        /// Forgets removals that every reader has seen by now, or reads anew.
        func forgetOldRemovals(before last: Int64) throws {
            let sql = "DELETE FROM removed WHERE store = ? AND revision < ?"
            try change(database.cachedStatement(sql: sql), [store, max(0, last) - Int64(ItemSchema.keptRemovals)])
        }
    }
#endif

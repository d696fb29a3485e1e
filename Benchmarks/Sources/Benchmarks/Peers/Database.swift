import GRDB

/// Keys and values in SQLite, as GRDB's documentation would have it: one row per key, each change a transaction, which is
/// on the disk when it returns (synchronous=FULL).
struct Database: Sendable {
    private let queue: DatabaseQueue

    /// - Parameter writeAhead: Whether SQLite keeps a write-ahead log; its default is a rollback journal.
    init(path: String, writeAhead: Bool, keys: [String]) throws {
        var configuration = Configuration()
        configuration.journalMode = writeAhead ? .wal : .default
        queue = try DatabaseQueue(path: path, configuration: configuration)
        // Not in the configuration: with a write-ahead log, GRDB makes it NORMAL when it opens the database.
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        try queue.write { database in
            try database.execute(sql: "CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID")
        }
        try set(keys, to: 0)
    }

    func set(_ key: String, to value: Int) throws {
        try set([key], to: value)
    }

    /// All in one transaction.
    func set(_ keys: [String], to value: Int) throws {
        try queue.write { database in
            let statement = try database.cachedStatement(
                sql: "INSERT INTO setting VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value")
            for key in keys { try statement.execute(arguments: [key, "\(value)"]) }
        }
    }
}

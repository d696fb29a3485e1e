import Foundation
import GRDB

/// Items in SQLite as GRDB's documentation would have it, by the same rules as a store: the item as JSON, found by its id, and each change
/// on the disk when it returns, with the same kind of journal.
struct ItemDatabase: Sendable {
    private let queue: DatabaseQueue

    init(path: String) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA journal_mode = PERSIST; PRAGMA synchronous = FULL") }
        queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS item (id TEXT PRIMARY KEY, json TEXT NOT NULL)") }
    }

    func insert(_ visits: [Visit]) async throws {
        try await queue.write { database in
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .iso8601
            let statement = try database.cachedStatement(
                sql: "INSERT INTO item VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET json = excluded.json")
            for visit in visits {
                try statement.execute(arguments: ["\(visit.id)", String(decoding: encoder.encode(visit), as: UTF8.self)])
            }
        }
    }

    func removeAll() async throws { try await queue.write { try $0.execute(sql: "DELETE FROM item") } }

    func items() throws -> [Visit] {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try queue.read { database in
            try String.fetchAll(database, sql: "SELECT json FROM item").map { try decoder.decode(Visit.self, from: Data($0.utf8)) }
        }
    }

    func item(_ id: Int) throws -> Visit? {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let json = try queue.read { try String.fetchOne($0, sql: "SELECT json FROM item WHERE id = ?", arguments: ["\(id)"]) }
        return try json.map { try decoder.decode(Visit.self, from: Data($0.utf8)) }
    }
}

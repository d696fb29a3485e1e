#if Store
    import Foundation
    import GRDB
    @testable import StoredValuesSupport

    @testable import StoredValues
    @testable import StoredValuesStore

    /// What must hold for a store's file, whatever other programs write into its rows.
    enum StoreRowRules {
        struct Broken: Error, CustomStringConvertible {
            let description: String
        }

        private struct Item: Codable, Sendable {
            let id: Int
            var text: String?
        }

        /// Takes steps from `input`: rows that another program inserts, changes and removes, and readings.
        ///
        /// Throws ``Broken`` if a reader that has followed all changes has other items than one that reads the file for the first time, or
        /// if a row is neither an item nor listed.
        static func check(_ input: [UInt8]) throws {
            let database = ItemDatabase(.inMemory())
            var input = Input(rest: input[...])
            let follower = reader(database)
            try database.turns.run { later in
                while !input.rest.isEmpty {
                    try database.write(&later) { database in
                        try database.setTriggers(true)
                        defer { try? database.setTriggers(false) }
                        try step(&input, database, follower)
                    }
                    try compare(follower, database, &later)
                }
            }
        }

        private static func reader(_ database: ItemDatabase) -> ItemStore<Item> {
            ItemStore("s", database, ItemCoder<Item>(template: nil)) { try ItemCoder<Item>.text($0.id) }
        }

        private static func step(_ input: inout Input, _ database: Database, _ follower: ItemStore<Item>) throws {
            let id = input.id
            switch input.byte % 8 {
            case 0: try? database.execute(sql: "INSERT INTO items (store, id, json) VALUES ('s', ?, ?)", arguments: [id, input.value])
            case 1: try? database.execute(sql: "INSERT OR REPLACE INTO items (store, id, version, json) VALUES ('s', ?, ?, ?)", arguments: [id, input.value, input.value])
            case 2:
                let revision = try Int64(input.byte % 16) - 8 + ItemRows(database: database, store: "s").lastRevision()
                let sql = "INSERT OR REPLACE INTO items (number, store, id, json, revision) VALUES (?, 's', ?, ?, ?)"
                try? database.execute(sql: sql, arguments: [input.value, id, input.value, revision])
            case 3: try? database.execute(sql: "UPDATE items SET json = ?, version = ? WHERE id = ?", arguments: [input.value, input.value, id])
            case 4: try? database.execute(sql: "UPDATE OR REPLACE items SET id = ? WHERE id = ?", arguments: [input.id, id])
            case 5: try? database.execute(sql: "UPDATE OR IGNORE items SET number = ? WHERE id = ?", arguments: [input.value, id])
            case 6 where input.byte % 2 == 0:
                let last = try ItemRows(database: database, store: "s").lastRevision()
                let sql = "UPDATE items SET json = ?, revision = ? WHERE id = ?"
                try? database.execute(sql: sql, arguments: [input.value, last - Int64(input.byte % 4), id])
            case 6: try? database.execute(sql: "DELETE FROM items WHERE id = ?", arguments: [id])
            default: break
            }
        }

        /// Lets the follower read what is new, and compares it with a reader that knows nothing.
        private static func compare(_ follower: ItemStore<Item>, _ database: ItemDatabase, _ later: inout AfterUnlocking) throws {
            let fresh = reader(database)
            let count = try database.write(&later) { database in
                let rows = ItemRows(database: database, store: "s")
                var later = AfterUnlocking()
                try follower.read(rows, &later)
                try fresh.read(rows, &later)
                return try rows.ids().count
            }
            guard try follower.items.map(ItemCoder<Item>.text) == fresh.items.map(ItemCoder<Item>.text) else {
                throw Broken(description: "the follower has \(follower.items), a new reader \(fresh.items)")
            }
            guard follower.unreadable == fresh.unreadable else {
                throw Broken(description: "the follower lists \(follower.unreadable), a new reader \(fresh.unreadable)")
            }
            guard fresh.items.count + fresh.unreadable.count == count else {
                throw Broken(description: "of \(count) rows \(fresh.items.count) are items, and \(fresh.unreadable.count) are listed")
            }
        }

        private struct Input {
            var rest: ArraySlice<UInt8>

            var byte: UInt8 { mutating get { rest.popFirst() ?? 0 } }

            /// Mostly one of few ids, so that they meet.
            var id: DatabaseValue {
                mutating get {
                    let byte = byte
                    return byte < 200 ? "\(byte % 4)".databaseValue : value
                }
            }

            /// A value of any type, mostly the JSON of an item.
            var value: DatabaseValue {
                mutating get {
                    let (byte, length) = (byte, Int(byte >> 4))
                    defer { rest = rest.dropFirst(length) }
                    switch byte % 16 {
                    case 0: return .null
                    case 1: return Int64(rest.prefix(length).reduce(0) { $0 &* 256 &+ Int($1) }).databaseValue
                    case 2: return (Double(length) * 1e300).databaseValue
                    case 3: return Data(rest.prefix(length)).databaseValue
                    case 4, 5: return String(decoding: rest.prefix(length), as: UTF8.self).databaseValue
                    case 6: return (Int64.max - Int64(length)).databaseValue
                    default: return #"{"id": \#(length % 4), "text": "\#(byte)"}"#.databaseValue
                    }
                }
            }
        }
    }
#endif

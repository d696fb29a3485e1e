#if Store
    import Foundation
    import GRDB
    import StoredValues
    @testable import StoredValuesStore
    import Testing

    /// What another program does to the file at `path`, such as `sqlite3`.
    func anotherProgram(_ sql: String, _ path: String) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(600)  // a store may be reading what changed before
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }

    @Suite("The file of a store", .hangLimit)
    struct StoreTruthTests {}

    extension StoreTruthTests {
        @Test("is not made by reading")
        func reading() throws {
            try withTemporaryFolder { folder in
                let store = Store<Note>.ofAnotherProcess("\(folder)/new/s.sqlite")
                #expect(store.status == .notLoaded)
                #expect(store.items == [])
                #expect(store.status == .loaded)
                #expect(!FileManager.default.fileExists(atPath: "\(folder)/new"))
            }
        }

        @Test("is described by its path, or as in memory, without being made")
        func description() throws {
            try withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite"
                #expect("\(StoreFile(path: path))" == path)
                #expect("\(StoreFile.inMemory())" == "(in memory)")
                withTemporaryStorage { #expect("\(StoreFile.standard)" == "(in memory)") }
                #expect(!FileManager.default.fileExists(atPath: path))
            }
        }

        @Test("is made by the first change, for its owner only")
        func made() async throws {
            try await withTemporaryFolder { folder in
                try await Store<Note>.ofAnotherProcess("\(folder)/new/s.sqlite").insert(Note("a"))
                for (path, mode) in [("new", 0o700), ("new/s.sqlite", 0o600)] {
                    let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(path)")
                    #expect(attributes[.posixPermissions] as? Int == mode)
                }
            }
        }

        @Test("has the items in the order of insertion, for every process")
        func order() async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite", store = Store<Note>.ofAnotherProcess(path)
                try await store.insert([Note("b"), Note("z"), Note("a")])
                try await store.insert([Note("c"), Note("z", "new")])
                #expect(Store.ofAnotherProcess(path).items == [Note("b"), Note("z", "new"), Note("a"), Note("c")])
                try await store.remove(id: "c")
                try await store.insert([Note("d"), Note("c")])
                #expect(Store.ofAnotherProcess(path).ids == ["b", "z", "a", "d", "c"])
            }
        }

        @Test("keeps stores apart by their names, byte for byte")
        func names() async throws {
            try await withTemporaryFolder { folder in
                let file = StoreFile(path: "\(folder)/s.sqlite")
                for name in ["notes", "Notes", "é", "e\u{301}", "a'b\"c", "sqlite_x"] {
                    try await Store<Note>(name, in: file).insert(Note(name))
                }
                let other = StoreFile.ofAnotherProcess("\(folder)/s.sqlite")
                for name in ["notes", "Notes", "é", "e\u{301}", "a'b\"c", "sqlite_x"] {
                    #expect(Store<Note>(name, in: other).items.map { Array($0.id.utf8) } == [Array(name.utf8)])
                }
            }
        }

        @Test("holds more items than SQLite binds variables, which go in and out in one call each, and is small again after that")
        func many() async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite", store = Store<Note>.ofAnotherProcess(path)
                // SQLITE_LIMIT_VARIABLE_NUMBER; Debian's SQLite binds 250,000.
                try limit(9, to: 500, of: store) { #expect($0.maximumStatementArgumentCount == 500) }
                let notes = (0..<5_000).map { Note("\($0)") }
                try await store.insert(notes)
                #expect(Store.ofAnotherProcess(path).items == notes)
                let large = try size(path)
                try await store.remove(notes.dropLast(10).reversed())
                #expect(Store.ofAnotherProcess(path).items == notes.suffix(10))
                #expect(try size(path) < large / 3)
                try await store.removeAll()
                #expect(try size(path) < large / 3)
            }
        }

        @Test("refuses all of a call with an item that is too long for SQLite, says so, and goes on")
        func tooLong() async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite", store = Store<Note>.ofAnotherProcess(path)
                try await store.insert(Note("a"))
                try limit(0, to: 2_000, of: store)  // SQLITE_LIMIT_LENGTH, of a text as of a row
                var items = [Note("a")], refused = 0
                // Some rows are too long although their texts are not.
                for length in stride(from: 1_900, through: 2_100, by: 20) {
                    let notes = (0..<6).map { Note("\(length) \($0)") } + [Note("\(length)", String(repeating: "x", count: length))]
                    do {
                        try await store.insert(notes)
                        items += notes
                    } catch StoreError.notAccessible(_, let reason) {
                        refused += 1
                        #expect(reason.contains("too big (18)"))
                        try await store.insert(Note("after \(length)"))
                        items.append(Note("after \(length)"))
                    }
                    #expect(store.items == items)
                }
                #expect(refused > 5 && refused < 11)
                #expect(Store.ofAnotherProcess(path).items == items)
            }
        }

        /// Lowers one of SQLite's limits in this store's connection.
        private func limit(_ which: CInt, to value: CInt, of store: Store<Note>, then check: (Database) -> Void = { _ in }) throws {
            typealias Limit = @convention(c) (OpaquePointer?, CInt, CInt) -> CInt
            // GRDB hands out the connection, but none of SQLite's functions.
            let symbol: UnsafeMutableRawPointer? = dlsym(nil, "sqlite3_limit")
            let limit = unsafeBitCast(try #require(symbol), to: Limit.self)
            let database = store.shared.database
            try database.turns.run { later in
                try database.write(&later) { connection in
                    _ = limit(connection.sqliteConnection, which, value)
                    check(connection)
                }
            }
        }

        @Test("needs no folder for temporary files: what SQLite sorts stays in memory")
        func noTemporaryFiles() throws {
            try withTemporaryFolder { folder in
                let database = Store<Note>.ofAnotherProcess("\(folder)/s.sqlite").shared.database
                let place = try database.turns.run { later in
                    try database.write(&later) { try $0.integer("PRAGMA temp_store") }
                }
                #expect(place == 2)  // MEMORY
            }
        }

        private func size(_ path: String) throws -> Int {
            try ["", "-journal"].map { try FileManager.default.attributesOfItem(atPath: path + $0)[.size] as? Int ?? 0 }.reduce(0, +)
        }

        @Test("that another one takes the place of is read anew")
        func replaced() async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite", store = Store<Note>.ofAnotherProcess(path)
                try await store.insert(Note("a"))
                try await Store.ofAnotherProcess("\(folder)/other.sqlite").insert([Note("x"), Note("y")])
                try FileManager.default.removeItem(atPath: "\(path)-journal")
                #expect(rename("\(folder)/other.sqlite", path) == 0)
                try await eventually("the items of the other file are there") { store.ids == ["x", "y"] }
                try await store.insert(Note("z"))
                #expect(Store.ofAnotherProcess(path).ids == ["x", "y", "z"])
            }
        }

        @Test("that is removed leaves nothing, and the next change makes a new one")
        func removed() async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite", store = Store<Note>.ofAnotherProcess(path)
                try await store.insert(Note("a"))
                for name in ["s.sqlite", "s.sqlite-journal"] { try FileManager.default.removeItem(atPath: "\(folder)/\(name)") }
                try await store.insert(Note("b"))
                #expect(store.ids == ["b"])
                #expect(Store.ofAnotherProcess(path).ids == ["b"])
            }
        }

        @Test("that somebody empties has nothing, and takes the next change")
        func emptied() async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite", store = Store<Note>.ofAnotherProcess(path)
                try await store.insert(Note("a"))
                #expect(truncate(path, 0) == 0)
                try await eventually("the items are gone") { store.items == [] }
                #expect(store.status == .loaded)
                try await store.insert(Note("b"))
                #expect(Store.ofAnotherProcess(path).ids == ["b"])
            }
        }

        @Test("into which somebody restores an empty database has nothing, and takes the next change", arguments: [false, true])
        func restoredEmpty(changing: Bool) async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite", store = Store<Note>.ofAnotherProcess(path)
                try await store.insert(Note("a"))
                var configuration = Configuration()
                configuration.busyMode = .timeout(600)  // the store may be reading
                let file = try DatabaseQueue(path: path, configuration: configuration)
                try DatabaseQueue().backup(to: file)  // as by .restore of sqlite3: a page without tables
                try file.close()
                if !changing {
                    try await eventually("the items are gone") { store.items == [] }
                    #expect(store.status == .loaded)
                }
                try await store.insert(Note("b"))
                #expect(store.ids == ["b"] && Store.ofAnotherProcess(path).ids == ["b"])
            }
        }

        @Test("that has no row of an item any more, unseen, gets none by an update, after which memory has none, either")
        func lostRow() async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite", store = Store<Note>.ofAnotherProcess(path)
                for id in ["a", "b", "c"] { try await store.insert(Note(id)) }
                // Nobody is told of a row that one of another store replaces by its number.
                try anotherProgram(#"INSERT OR REPLACE INTO items (number, store, id, json) VALUES (1, 'pages', '"p"', '{}')"#, path)
                #expect(try await store.update("a") { $0.count = 1 } == nil)
                try await eventually("it is gone") { store.ids == ["b", "c"] }
                try anotherProgram(#"INSERT OR REPLACE INTO items (number, store, id, json) VALUES (2, 'pages', '"q"', '{}')"#, path)
                #expect(try await store.updateAll(where: { _ in true }) { $0.count += 2 } == [Note("c", count: 2)])
                try await eventually("so is this one") { store.ids == ["c"] }
                try await store.insert(Note("d"))
                #expect(Store.ofAnotherProcess(path).items == [Note("c", count: 2), Note("d")])
            }
        }

        @Test("takes no more rows than there are numbers")
        func lastNumber() async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite", store = Store<Note>.ofAnotherProcess(path)
                try await store.insert(Note("a"))
                try anotherProgram("UPDATE items SET number = 9223372036854775806", path)
                await #expect(throws: StoreError.self) { try await store.insert([Note("b"), Note("c")]) }
                try await store.insert(Note("b"))  // the last one
                await #expect(throws: StoreError.self) { try await store.insert(Note("c")) }
                #expect(store.ids == ["a", "b"] && Store.ofAnotherProcess(path).ids == ["a", "b"])
            }
        }

        @Test("is a trap for two types of items under one name")
        func twoTypes() async {
            await #expect(processExitsWith: .failure) {
                struct Other: Codable, Identifiable { let id: Int }
                let file = StoreFile.inMemory()
                let one = Store<Note>("notes", in: file), other = Store<Other>("notes", in: file)
                withExtendedLifetime((one, other)) {}
            }
        }
    }

    @Suite("Items that do not decode")
    struct StoreRowTests {}

    extension StoreRowTests {
        struct Old: Codable, Identifiable, Equatable {
            let id: String
            var text = ""
        }

        private func file(_ rows: [(id: String, version: Int, json: String)], _ body: (String) async throws -> Void) async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite"
                try await Store<Note>.ofAnotherProcess(path).insert(Note("first"))
                for (id, version, json) in rows {
                    try anotherProgram("INSERT INTO items (store, id, version, json) VALUES ('notes', '\"\(id)\"', \(version), '\(json)')", path)
                }
                try await body(path)
            }
        }

        @Test("cost themselves only, stay in the file, and are listed with the reason")
        func unreadable() async throws {
            let rows = [
                ("a", 0, #"{"id": "a", "text": 7, "count": 0}"#), ("b", 0, "what is this"), ("c", 0, #"{"id": "x", "text": "", "count": 0}"#),
                ("d", 3, #"{"id": "d", "text": "", "count": 0}"#), ("e", 0, #"{"id": "e", "text": "", "count": 0}"#),
            ]
            try await file(rows) { path in
                let store = Store<Note>.ofAnotherProcess(path)
                #expect(store.ids == ["first", "e"])
                #expect(store.status == .loaded)
                #expect(store.unreadable.map(\.id) == [#""a""#, #""b""#, #""c""#, #""d""#])
                for (row, part) in zip(store.unreadable, ["expected a string", "expected a value", "the id in its JSON", "newer version"]) {
                    #expect(row.reason.contains(part), "\(row)")
                }
                try await store.removeAll()
                #expect(store.unreadable.count == 4)
                #expect(Store.ofAnotherProcess(path).unreadable.count == 4)
                try await store.remove(id: "a")
                try await store.insert(Note("b"))
                #expect(store.unreadable.map(\.id) == [#""c""#, #""d""#])
                #expect(store.ids == ["b"])
                await #expect(throws: StoreError.newerItem(store: "notes", id: #""d""#, stored: 3, supported: 0)) {
                    try await store.insert([Note("f"), Note("d")])
                }
                #expect(Store.ofAnotherProcess(path).ids == ["b"])
            }
        }

        @Test("are not overwritten by an update that may insert: it throws, before its closure runs, and leaves them in the file")
        func updateOrInsert() async throws {
            struct Called: Error {}
            let rows = [("a", 0, #"{"id": "a", "text": "old"}"#), ("d", 3, #"{"id": "d", "text": "", "count": 0}"#)]
            try await file(rows) { path in
                let store = Store<Note>.ofAnotherProcess(path)
                let reason = try #require(store.unreadable.first?.reason)
                for (id, error) in [
                    ("a", StoreError.unreadableItem(store: "notes", id: #""a""#, reason: reason)),
                    ("d", StoreError.newerItem(store: "notes", id: #""d""#, stored: 3, supported: 0)),
                ] {
                    await #expect(throws: error) {
                        try await store.update(orInsert: Note(id)) { _ in throw Called() }
                    }
                }
                #expect(Store<Note>.ofAnotherProcess(path, template: Note("", count: 1)).items == [Note("first"), Note("a", "old", count: 1)])
            }
        }

        @Test("for lack of a member say that a template would have it, if the store has none and it is not the id")
        func missingMember() async throws {
            let rows = [
                ("a", 0, #"{"id": "a"}"#), ("b", 0, #"{"id": "b", "text": 7, "count": 0}"#), ("c", 0, #"{"text": "", "count": 0}"#),
            ]
            try await file(rows) { path in
                let reasons = Store<Note>.ofAnotherProcess(path).unreadable.map(\.reason)
                #expect(reasons.first == #"there is no member "text"; give the store a template: Store("notes", template:)"#)
                #expect(reasons.count == 3 && reasons.dropFirst().allSatisfy { !$0.contains("template") }, "\(reasons)")
            }
        }

        @Test("take from the template what is missing or does not decode")
        func template() async throws {
            let rows = [("a", 0, #"{"id": "a", "text": 7, "count": 5}"#), ("b", 0, #"{"id": "b", "text": "B"}"#)]
            try await file(rows) { path in
                let store = Store<Note>.ofAnotherProcess(path, template: Note("", "?", count: -1))
                #expect(store.items == [Note("first"), Note("a", "?", count: 5), Note("b", "B", count: -1)])
                #expect(store.unreadable == [])
                try await store.update("a") { $0.count = 6 }
                #expect(Store<Note>.ofAnotherProcess(path).items == [Note("first"), Note("a", "?", count: 6)])
            }
        }

        @Test("with a negative version have the first one, and are not migrated from before it")
        func negativeVersion() async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite"
                try await Store<Note>.ofAnotherProcess(path).insert(Note("a"))
                try anotherProgram("UPDATE items SET version = -9223372036854775807", path)
                #expect(Store<Note>.ofAnotherProcess(path).ids == ["a"])
                #expect(Store<Versioned>("notes", in: .ofAnotherProcess(path)).items.map(\.from) == [[0]])
            }
        }

        /// Notes from which versions it was migrated.
        private struct Versioned: Codable, Identifiable, Sendable, VersionedItem {
            static let version = 1
            let id: String
            var from: [Int]

            static func migrate(_ json: inout JSONValue, from version: Int) throws {
                json["from"] = .array((json["from"]?.arrayValue ?? []) + [.number(JSONNumber(version))])
            }
        }

        @Test("that an older version of the type wrote are migrated on reading")
        func versions() async throws {
            struct Versioned: VersionedItem, Identifiable, Equatable {
                static let version = 2
                static func migrate(_ json: inout JSONValue, from version: Int) throws {
                    if version == 0 { json.rename("text", to: "title") } else { json["count"] = JSONValue((json["count"]?.intValue ?? 0) + 100) }
                }
                let id: String
                var title: String
                var count: Int
            }
            try await file([("a", 1, #"{"id": "a", "title": "A", "count": 1}"#)]) { path in
                let store = Store<Versioned>("notes", in: .ofAnotherProcess(path))
                let migrated = [Versioned(id: "first", title: "", count: 100), Versioned(id: "a", title: "A", count: 101)]
                #expect(store.items == migrated)
                try await store.update("a") { $0.title = "new" }
                let others = Store<Versioned>("notes", in: .ofAnotherProcess(path))
                #expect(others.items == [migrated[0], Versioned(id: "a", title: "new", count: 101)])
                #expect(Store<Note>.ofAnotherProcess(path).unreadable.map(\.version) == [2])
            }
        }
    }
#endif

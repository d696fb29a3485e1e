#if Store
    import Foundation
    import GRDB
    import StoredValues
    import StoredValuesSupport
    import Testing

    @testable import StoredValuesStore

    @Suite("A store among processes", .hangLimit)
    struct StoreProcessesTests {
        private let processes = TestProcesses()
    }

    extension StoreProcessesTests {
        @Test("What another process commits arrives by itself, once, in the order of commits")
        func others() async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite", store = Store<Note>.ofAnotherProcess(path)
                let events = Collector(store.events), values = Collector(store.values)
                try await values.wait(for: [[]])
                let begin: [StoreEvent<Note>] = [.init(.initialized, [], false), .init(.loaded, [], false)]
                try await events.wait(for: begin)
                let all = begin + [.init(.insert, [Note("a")], true)]
                #expect(try await processes.start("store-replace", path, "a").lines() == ["done"])
                try await events.wait(for: all)
                try await values.wait(for: [[], [Note("a")]])  // a slow reader would get only the latest
                #expect(try await processes.start("store-replace", path, "b,c").lines() == ["done"])
                try await events.wait(for: all + [.init(.remove, [Note("a")], true), .init(.insert, [Note("b"), Note("c")], true)])
                try await values.wait(for: [[], [Note("a")], [Note("b"), Note("c")]])
            }
        }

        @Test("So does what a program does that knows only SQLite")
        func sqlite() async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite", store = Store<Note>.ofAnotherProcess(path)
                try await store.insert([Note("a"), Note("b"), Note("c")])
                let values = Collector(store.values)
                try await values.wait(untilLast: [Note("a"), Note("b"), Note("c")])
                try anotherProgram(#"UPDATE items SET json = '{"id": "b", "text": "by hand", "count": 1}' WHERE id = '"b"'"#, path)
                try await values.wait(untilLast: [Note("a"), Note("b", "by hand", count: 1), Note("c")])
                try anotherProgram(#"DELETE FROM items WHERE id = '"a"'"#, path)
                try await values.wait(untilLast: [Note("b", "by hand", count: 1), Note("c")])
                try anotherProgram(#"INSERT INTO items (store, id, json) VALUES ('notes', '"d"', '{"id": "d", "text": "", "count": 0}')"#, path)
                try await values.wait(untilLast: [Note("b", "by hand", count: 1), Note("c"), Note("d")])
                let renamed = #"UPDATE items SET id = '"e"', json = '{"id": "e", "text": "", "count": 0}' WHERE id = '"c"'"#
                try anotherProgram(renamed, path)
                try await values.wait(untilLast: [Note("b", "by hand", count: 1), Note("e"), Note("d")])
                let last = #"INSERT OR REPLACE INTO items (store, id, json) VALUES ('notes', '"e"', '{"id": "e", "text": "again", "count": 0}')"#
                try anotherProgram(last, path)
                try await values.wait(untilLast: [Note("b", "by hand", count: 1), Note("d"), Note("e", "again")])
                // Nothing changes.
                try anotherProgram(#"INSERT OR IGNORE INTO items (store, id, json) VALUES ('notes', '"e"', '{}')"#, path)
                try await store.insert(Note("f"))
                #expect(store.items == [Note("b", "by hand", count: 1), Note("d"), Note("e", "again"), Note("f")])
                // Two change places.
                let places = "SELECT number FROM items WHERE id = "
                try anotherProgram(
                    #"""
                    UPDATE items SET number = -1 WHERE id = '"d"'; UPDATE items SET number = number - 1 WHERE id = '"e"';
                    UPDATE items SET number = (\#(places)'"e"') + 1 WHERE id = '"d"';
                    """#, path)
                try await values.wait(untilLast: [Note("b", "by hand", count: 1), Note("e", "again"), Note("d"), Note("f")])
                try anotherProgram("DELETE FROM items", path)
                try await values.wait(untilLast: [])
                #expect(store.unreadable == [])
            }
        }

        @Test("What another program has removed is not noted for ever, though the store itself only inserts")
        func oldRemovals() async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite", store = Store<Note>.ofAnotherProcess(path)
                for _ in 0..<2 {
                    try await store.insert((0..<1_200).map { Note("\($0)") })
                    try anotherProgram("DELETE FROM items", path)
                    try await store.insert(Note("a"))
                    let noted = try await DatabaseQueue(path: path).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM removed") } ?? 0
                    #expect(900...1_001 ~= noted)
                }
            }
        }

        @Test("A backup that is copied into the file is what the store has then, and no change hits another's row")
        func backup() async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite", store = Store<Note>.ofAnotherProcess(path)
                try await store.insert([Note("a"), Note("b")])
                let backup = try #require(FileManager.default.contents(atPath: path))
                try await store.remove(id: "a")
                try await store.insert([Note("c"), Note("d")])
                let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
                try file.write(contentsOf: backup)
                try file.close()
                try await eventually("the backup is there") { store.ids == ["a", "b"] }
                try await store.insert([Note("d", "new"), Note("a", "new")])
                #expect(Store<Note>.ofAnotherProcess(path).items == [Note("a", "new"), Note("b"), Note("d", "new")])
            }
        }

        @Test("Rows that come with the revisions of a backup arrive, too, and those with a wrong one are items like others")
        func revisions() async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite", store = Store<Note>.ofAnotherProcess(path)
                for id in ["a", "b", "c"] { try await store.insert(Note(id)) }
                let values = Collector(store.values)
                try await values.wait(untilLast: [Note("a"), Note("b"), Note("c")])
                try anotherProgram("CREATE TABLE backup AS SELECT * FROM items; DELETE FROM items WHERE number < 3", path)
                try await values.wait(untilLast: [Note("c")])
                try anotherProgram("INSERT OR REPLACE INTO items SELECT * FROM backup; DROP TABLE backup", path)
                try await values.wait(untilLast: [Note("a"), Note("b"), Note("c")])
                #expect(throws: DatabaseError.self) { try anotherProgram("UPDATE items SET revision = 'old'", path) }
                try anotherProgram("PRAGMA ignore_check_constraints = ON; UPDATE items SET revision = 'old' WHERE number = 2", path)
                #expect(Store.ofAnotherProcess(path).ids == ["a", "b", "c"])
                try await store.insert(Note("d"))
                try await Store.ofAnotherProcess(path).insert(Note("e"))
                try await eventually("later changes arrive") { store.ids == ["a", "b", "c", "d", "e"] }
            }
        }

        @Test("A row that comes with the revision of the last one arrives, and one that takes another's place removes that for events, too")
        func sameRevision() async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite", store = Store<Note>.ofAnotherProcess(path)
                var events = store.events.makeAsyncIterator()
                try await store.insert(Note("a"))
                try anotherProgram(#"INSERT INTO items SELECT 7, store, '"b"', version, '{"id":"b","text":"","count":0}', revision FROM items"#, path)
                try await eventually("it is there") { store.ids == ["a", "b"] }
                try await store.insert(Note("b", "ours"))
                try anotherProgram(
                    #"INSERT OR REPLACE INTO items (number, store, id, json) VALUES (1, 'notes', '"c"', '{"id":"c","text":"","count":0}')"#, path)
                try await eventually("the other is there") { store.ids == ["c", "b"] }
                var followed: [String] = []
                while followed != ["c", "b"] {
                    let event = try #require(await events.next())
                    if event.operation == .remove { followed.removeAll { id in event.items.contains { $0.id == id } } }
                    guard event.operation == .insert else { continue }
                    for item in event.items where !followed.contains(item.id) { followed.insert(item.id, at: item.id == "c" ? 0 : followed.count) }
                    #expect(followed != ["c", "a", "b"])
                }
            }
        }

        @Test("A file that is replaced by a copy of it has no news")
        func copy() async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite", store = Store<Note>.ofAnotherProcess(path)
                try await store.insert([Note("a"), Note("b")])
                // By hand: SQLite writes the JSON in another way.
                try anotherProgram("UPDATE items SET json = json_set(json, '$.count', 5) WHERE id = '\"a\"'", path)
                try await eventually("the edited one is there") { store.items.first?.count == 5 }
                let events = Collector(store.events)
                try await eventually("the items are there") { events.elements.count == 2 }
                try FileManager.default.copyItem(atPath: path, toPath: "\(path).copy")
                #expect(rename("\(path).copy", path) == 0)
                try await Store.ofAnotherProcess(path).insert(Note("c"))
                try await eventually("the new item is there") { store.ids == ["a", "b", "c"] }
                try await store.insert(Note("d"))
                try await eventually("both events are there") { events.elements.last?.items == [Note("d")] }
                #expect(events.elements.dropFirst(2).map(\.items) == [[Note("c")], [Note("d")]])
            }
        }

        @Test("What another process has inserted is updated, and not overwritten by an insertion in its place")
        func updateOrInsert() async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite", store = Store<Note>.ofAnotherProcess(path), other = Store<Note>.ofAnotherProcess(path)
                #expect(store.items == [] && other.items == [])
                try await withThrowingTaskGroup { group in
                    for store in [store, other] {
                        group.addTask { for _ in 0..<50 { _ = try await patiently { try await store.update(orInsert: Note("a")) { $0.count += 1 } } } }
                    }
                    try await group.waitForAll()
                }
                #expect(Store.ofAnotherProcess(path).items == [Note("a", count: 100)])
            }
        }

        @Test("A reader that has missed more removals than are kept reads which items are left")
        func forgotten() async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite", store = Store<Note>.ofAnotherProcess(path), other = Store<Note>.ofAnotherProcess(path)
                let notes = (0..<3000).map { Note("\($0)") }
                try await other.insert(notes)
                let events = Collector(store.events)
                try await eventually("the reader has them") { events.elements.count == 2 }
                try await other.remove(notes.dropLast(5)).insert(Note("new")).run()
                let rest = Array(notes.suffix(5)) + [Note("new")]
                try await eventually("the reader has the rest") { store.items == rest }
                try await eventually("events, too") { events.elements.last == StoreEvent(.insert, [Note("new")], true) }
                #expect(Set(events.elements.filter { $0.operation == .remove }.flatMap(\.items).map(\.id)) == Set(notes.dropLast(5).map(\.id)))
            }
        }

        @Test("Only rows that have changed are decoded")
        func decoding() async throws {
            struct Counted: Codable, Identifiable, Sendable {
                static let decoded = Guarded(0)
                let id: Int
                init(id: Int) { self.id = id }
                init(from decoder: any Decoder) throws {
                    Self.decoded.withLock { $0 += 1 }
                    id = try decoder.singleValueContainer().decode(Int.self)
                }
                func encode(to encoder: any Encoder) throws {
                    var container = encoder.singleValueContainer()
                    try container.encode(id)
                }
            }
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite"
                let store = Store<Counted>("n", in: .ofAnotherProcess(path)), other = Store<Counted>("n", in: .ofAnotherProcess(path))
                try await other.insert((0..<100).map { Counted(id: $0) })
                #expect(store.items.count == 100)
                #expect(Counted.decoded.withLock { $0 } == 100)
                try await other.insert([Counted(id: 100), Counted(id: 7)])
                try await other.remove(id: 9)
                try await eventually("the change is there") { store.items.count == 100 && store[id: 9] == nil }
                #expect(Counted.decoded.withLock { $0 } == 102)
            }
        }

        @Test("A chain that is released without run() is logged, with its operations")
        func chain() async throws {
            try await withTemporaryFolder { folder in
                let process = try processes.start("store-forget-chain", "\(folder)/s.sqlite")
                #expect(try await process.lines() == [])
                #expect(process.logs.count == 1 && process.logs[0].contains("insert(1 item).remove(1 item).removeAll()"), "\(process.logs)")
            }
        }

        @Test("Where the kernel has no room to watch the file, that is logged")
        func notWatched() async throws {
            // In a user namespace, which has a limit of its own.
            let script = #"echo 0 >/proc/sys/user/max_inotify_instances && exec "$@""#
            let launcher = [try Program.orSkip("unshare").path, "-Ur", "/bin/sh", "-c", script, "-"]
            guard try await processes.start(command: launcher + ["/bin/true"]).end() == .exit(0) else {
                try SkippedCase.end(because: "this user may not limit inotify in a user namespace (unshare -Ur)")
            }
            try await withTemporaryFolder { folder in
                let process = try processes.start("store-items", "\(folder)/s.sqlite", by: launcher)
                #expect(try await process.lines() == ["", "loaded"])
                #expect(process.logs.count == 1 && process.logs[0].contains("max_user_instances"), "\(process.logs)")
            }
        }

        @Test("What does not decode is logged, once for each change of it")
        func logged() async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite"
                try await Store<Note>.ofAnotherProcess(path).insert([Note("a"), Note("b")])
                try anotherProgram("UPDATE items SET json = '7' WHERE number = 1", path)
                let process = try processes.start("store-items", path)
                #expect(try await process.lines() == ["b", "loaded"])
                #expect(process.logs.count == 1 && process.logs[0].contains("\"a\"") && process.logs[0].contains(path), "\(process.logs)")
            }
        }
    }

    @Suite("A store with processes that strain it", .heavy, .hangLimit)
    struct StoreStrainTests {
        private let processes = TestProcesses()
    }

    extension StoreStrainTests {
        @Test("8 processes that insert 500 items each, and one that reads, lose none and see each once")
        func insert() async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite", store = Store<Note>.ofAnotherProcess(path)
                let seen = Collector(store.events)
                try await eventually("the reader has begun") { seen.elements.count == 2 }
                let all = try (0..<8).map { try processes.start("store-insert", path, "\($0)-", "500") }
                for process in all { #expect(try await process.lines().last == "500") }
                let expected = Set((0..<8).flatMap { process in (0..<500).map { "\(process)-\($0)" } })
                #expect(Set(Store.ofAnotherProcess(path).ids) == expected)
                try await eventually("all have arrived") { store.items.count == 4000 }
                #expect(store.ids == Store.ofAnotherProcess(path).ids)
                try await eventually("as events, too") { seen.elements.flatMap(\.items).count >= 4000 }
                #expect(seen.elements.flatMap(\.items).map(\.id) == store.ids)
            }
        }

        @Test("8 processes that update one item 500 times each lose no update")
        func update() async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite", store = Store<Note>.ofAnotherProcess(path)
                try await store.insert(Note("x"))
                let all = try (0..<8).map { _ in try processes.start("store-update", path, "x", "500") }
                for process in all { #expect(try await process.lines() == ["done"]) }
                #expect(Store.ofAnotherProcess(path)[id: "x"]?.count == 4000)
                try await eventually("the last update has arrived") { store[id: "x"]?.count == 4000 }
            }
        }

        @Test("200 processes that are killed at random moments lose nothing that an insertion has returned for")
        func kill() async throws {
            try await withTemporaryFolder { folder in
                let seed = SeededGenerator.printedSeed(for: "StoreStrainTests")
                try await withThrowingTaskGroup { group in
                    for lane in 0..<4 {
                        group.addTask { try await lane50("\(folder)/\(lane).sqlite", SeededGenerator(seed: seed &+ UInt64(lane))) }
                    }
                    try await group.waitForAll()
                }
            }
        }

        private func lane50(_ path: String, _ generator: SeededGenerator) async throws {
            var generator = generator
            var atLeast = 0
            for _ in 0..<50 {
                let process = try processes.start("store-insert", path, "n", "100000")
                for _ in 0...Int.random(in: 0...4, using: &generator) { atLeast = try number(try await process.line()) }
                spin(.microseconds(Int.random(in: 0..<3000, using: &generator)))
                process.signal(SIGKILL)
                if let last = try await process.lines().last { atLeast = try number(last) }
                #expect(try await process.end() == .signal(SIGKILL))
                let ids = Store<Note>.ofAnotherProcess(path).ids
                #expect(ids.count == atLeast || ids.count == atLeast + 1, "the process told of \(atLeast), the file has \(ids.count)")
                #expect(ids == ids.indices.map { "n\($0)" })
            }
        }
    }
#endif

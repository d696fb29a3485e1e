#if Store
    import Foundation
    import GRDB
    import StoredValues
    import Testing

    @testable import StoredValuesStore

    @Suite("A file that a store cannot use", .hangLimit)
    struct StoreDamageTests {
        private let processes = TestProcesses()
    }

    extension StoreDamageTests {
        /// What is wrong with the file, and the error.
        enum Fault: String, CaseIterable, CustomTestStringConvertible {
            case noDatabase, damagedInside, anotherPrograms, newer, newerThanSQLite, folder
            var testDescription: String { rawValue }

            func make(_ path: String) throws {
                switch self {
                case .noDatabase: try Data("This is a letter, and no database. ".utf8 + Array(repeating: 0x20, count: 1000)).write(to: URL(fileURLWithPath: path))
                case .damagedInside:
                    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
                    for page in 1..<(try file.seekToEnd() / 4096) {
                        try file.seek(toOffset: page * 4096)
                        try file.write(contentsOf: Data(repeating: 0xA5, count: 4096))
                    }
                    try file.close()
                case .anotherPrograms: try anotherProgram("PRAGMA application_id = 7", path)
                case .newer: try anotherProgram("PRAGMA user_version = 2", path)
                case .newerThanSQLite:  // a table that this SQLite cannot parse
                    let table = "INSERT INTO sqlite_master VALUES ('table', 'later', 'later', 0, 'CREATE TABLE later (a b c, (')"
                    try anotherProgram("PRAGMA user_version = 2; PRAGMA writable_schema = ON; \(table)", path)
                case .folder:
                    try FileManager.default.removeItem(atPath: path)
                    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
                }
            }

            func isError(_ error: any Error) -> Bool {
                switch (self, error as? StoreError) {
                case (.noDatabase, .damaged), (.damagedInside, .damaged), (.anotherPrograms, .foreign), (.newer, .newerFile(_, 2, 1)),
                    (.newerThanSQLite, .newerFile(_, 2, 1)), (.folder, .notAccessible):
                    true
                default: false
                }
            }
        }

        @Test("is an error and a status, and stays as it is", arguments: Fault.allCases)
        func fault(_ fault: Fault) async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite"
                try await Store<Note>.ofAnotherProcess(path).insert((0..<200).map { Note("\($0)", "some text") })
                try fault.make(path)
                let before = FileManager.default.contents(atPath: path)
                let store = Store<Note>.ofAnotherProcess(path)
                #expect(store.items == [])
                guard case .unavailable(let error) = store.status else { return #expect(Bool(false), "\(store.status)") }
                #expect(fault.isError(error), "\(error)")
                await #expect { try await store.insert(Note("x")) } throws: { fault.isError($0) }
                await #expect { try await store.itemsHaveLoaded() } throws: { fault.isError($0) }
                #expect(FileManager.default.contents(atPath: path) == before)
            }
        }

        @Test("has the reason in its status also where a change is the first that needs it", arguments: Fault.allCases)
        func firstChange(_ fault: Fault) async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite"
                try await Store<Note>.ofAnotherProcess(path).insert((0..<200).map { Note("\($0)", "some text") })
                try fault.make(path)
                let store = Store<Note>.ofAnotherProcess(path)
                await #expect { try await store.insert(Note("x")) } throws: { fault.isError($0) }
                guard case .unavailable(let error) = store.status else { return #expect(Bool(false), "\(store.status)") }
                #expect(fault.isError(error), "\(error)")
            }
        }

        @Test("whose rows have no numbers, because somebody has made its table anew, is damaged")
        func withoutNumbers() async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite"
                try await Store<Note>.ofAnotherProcess(path).insert(Note("a"))
                let row = "INSERT INTO items (store, id, json) VALUES ('notes', '\"x\"', '{}')"
                try anotherProgram("CREATE TABLE t AS SELECT * FROM items; DROP TABLE items; ALTER TABLE t RENAME TO items; \(row)", path)
                let store = Store<Note>.ofAnotherProcess(path)
                #expect(store.items == [])
                await #expect { try await store.itemsHaveLoaded() } throws: { if case .damaged = $0 as? StoreError { true } else { false } }
            }
        }

        @Test("that is replaced or removed during a change says so; the next change is made", arguments: [true, false])
        func movedMeanwhile(isReplaced: Bool) async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite", store = Store<Note>.ofAnotherProcess(path)
                try await store.insert(Note("a"))
                try FileManager.default.copyItem(atPath: path, toPath: "\(path).copy")
                let error = await #expect(throws: StoreError.self) {
                    try await store.updateAll(where: { _ in true }) { note in
                        if isReplaced { rename("\(path).copy", path) } else { unlink(path) }
                        note.count += 1
                    }
                }
                guard case .notAccessible = error else { return #expect(Bool(false), "\(error as Any)") }
                try await store.insert(Note("b"))
                #expect(Store.ofAnotherProcess(path).items == (isReplaced ? [Note("a"), Note("b")] : [Note("b")]))
            }
        }

        @Test("with a write-ahead log is changed to a journal, unless another program has it open")
        func writeAheadLog() async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite"
                try await Store<Note>.ofAnotherProcess(path).insert(Note("a"))
                var configuration = Configuration()
                configuration.journalMode = .wal
                configuration.busyMode = .timeout(600)  // a store may still be reading
                let other = try DatabaseQueue(path: path, configuration: configuration)
                try await other.write { try $0.execute(sql: "UPDATE items SET version = 0") }
                let store = Store<Note>.ofAnotherProcess(path)
                await #expect { try await store.insert(Note("b")) } throws: { if case .locked = $0 as? StoreError { true } else { false } }
                try other.close()
                try await store.insert(Note("b"))
                #expect(Store.ofAnotherProcess(path).ids == ["a", "b"])
            }
        }

        @Test("keeps what was known, and says so, until it can be read again")
        func knownBefore() async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite", store = Store<Note>.ofAnotherProcess(path)
                try await store.insert(Note("a"))
                let good = try #require(FileManager.default.contents(atPath: path))
                // In one step: no file at all, or an empty one, would be a store without items.
                try Data("no database".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
                try await eventually("the status says it") { if case .unavailable(.damaged) = store.status { true } else { false } }
                #expect(store.ids == ["a"])
                try good.write(to: URL(fileURLWithPath: path), options: .atomic)
                try await eventually("it can be read again") { store.status == .loaded }
                #expect(store.ids == ["a"])
            }
        }

        @Test("has no values until it can be read")
        func values() async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite"
                try await Store<Note>.ofAnotherProcess(path).insert(Note("a"))
                let good = try #require(FileManager.default.contents(atPath: path))
                try Data("no database".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
                let store = Store<Note>.ofAnotherProcess(path), values = Collector(store.values)
                try await eventually("the reader has tried") { if case .unavailable(.damaged) = store.status { true } else { false } }
                try good.write(to: URL(fileURLWithPath: path), options: .atomic)
                try await eventually("there are some") { !values.elements.isEmpty }
                #expect(values.elements.first == [Note("a")])
            }
        }

        @Test("that has not changed when it can be read again is no news for a reader of values")
        @MainActor func sameValues() async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite", store = Store<Note>.ofAnotherProcess(path)
                try await store.insert(Note("a"))
                var values = store.values.makeAsyncIterator()
                let first = await values.next(isolation: #isolation)
                #expect(first == [Note("a")])
                let good = try #require(FileManager.default.contents(atPath: path))
                try Data("no database".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
                try await eventually("the status says it") { @Sendable in if case .unavailable(.damaged) = store.status { true } else { false } }
                var later = store.values.makeAsyncIterator()
                let known = await later.next(isolation: #isolation)
                #expect(known == [Note("a")])
                try good.write(to: URL(fileURLWithPath: path), options: .atomic)
                try await eventually("it can be read again") { @Sendable in store.status == .loaded }
                // Has no turn before the reader has to wait.
                let others = Task { @MainActor in try await store.insert(Note("b")) }
                let second = await values.next(isolation: #isolation)
                #expect(second == [Note("a"), Note("b")])
                try await others.value
            }
        }

        @Test("because a newer program has changed its tables meanwhile is not changed any more")
        func newerMeanwhile() async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite", store = Store<Note>.ofAnotherProcess(path)
                try await store.insert(Note("a"))
                try Fault.newer.make(path)
                await #expect { try await store.insert(Note("b")) } throws: { Fault.newer.isError($0) }
                #expect(store.ids == ["a"])
            }
        }

        @Test(
            "because another program has locked it is waited for, then an error; nothing is lost, and what can be read is read",
            arguments: [true, false])
        func locked(alsoForReaders: Bool) async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite"
                try await Store<Note>.ofAnotherProcess(path).insert(Note("a"))
                var configuration = Configuration()
                configuration.busyMode = .timeout(600)  // a store may still be reading
                let other = try DatabaseQueue(path: path, configuration: configuration)
                let (held, release) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
                let holding = Task {
                    defer { held.continuation.finish() }
                    try await offPool {
                        Result {
                            try other.inDatabase { database in
                                try database.execute(sql: alsoForReaders ? "BEGIN EXCLUSIVE" : "BEGIN IMMEDIATE")
                                held.continuation.yield()
                                release.wait()
                                try database.execute(sql: "COMMIT")
                            }
                        }
                    }.get()
                }
                for await _ in held.stream { break }
                let store = Store<Note>.ofAnotherProcess(path), error = StoreError.locked(path: try storePath(store), after: .seconds(5))
                await #expect(throws: error) { try await store.insert(Note("b")) }
                let status: StoreStatus = alsoForReaders ? .unavailable(error) : .loaded, items = alsoForReaders ? [] : [Note("a")]
                #expect(store.status == status)
                #expect(await offPool { store.items } == items)
                release.signal()
                try await holding.value
                try await eventually("it is tried again") { store.status == .loaded }
                #expect(store.ids == ["a"])
                try other.close()
            }
        }

        private func storePath(_ store: Store<Note>) throws -> String { try store.shared.database.file.path }

        @Test("that could only be read is changed as soon as it may be")
        func readOnlyAtFirst() async throws {
            try await withTemporaryFolder { folder in
                let path = "\(folder)/s.sqlite", store = Store<Note>.ofAnotherProcess(path)
                try await store.insert(Note("a"))
                // From now on the connection has the error of one that was opened when the file was read-only.
                func refuseChanges() throws {
                    let database = store.shared.database
                    try database.turns.run { later in try database.write(&later) { try $0.execute(sql: "PRAGMA query_only = ON") } }
                }
                try refuseChanges()
                await #expect(throws: StoreError.self) { try await store.insert(Note("b")) }
                try await store.insert(Note("c"))
                #expect(Store<Note>.ofAnotherProcess(path).ids == ["a", "c"] && store.ids == ["a", "c"])
            }
        }

        @Test("on a full disk or a file system that is read-only keeps what was there", arguments: ["full", "read-only"])
        func noRoom(_ what: String) async throws {
            try await withTemporaryFolder { folder in
                let launcher = try await PrivateMount.launcher(at: folder, size: 96 << 10)
                let path = "\(folder)/s.sqlite"
                // The file system is made read-only between two processes.
                let script = #""$0" store-insert "$1" a 1 >/dev/null; [ "$2" = full ] || mount -o remount,ro "$3"; exec "$0" store-fill "$1""#
                let program = try #require(try TestProcess.command([]).first)
                let inserting = try processes.start(command: launcher + ["/bin/sh", "-c", script, program, path, what, folder])
                let lines = try await inserting.lines()
                #expect(lines.count == 3 && lines[0] == (what == "full" ? "full" : "readOnly") && lines[1] == lines[2], "\(lines)")
            }
        }

        @Test(
            "that cannot be made by the first change, on a full disk or a file system that is read-only, has the same errors",
            arguments: ["full", "read-only"], ["s.sqlite", "new/s.sqlite"])
        func noRoomForFile(_ what: String, _ name: String) async throws {
            try await withTemporaryFolder { folder in
                let launcher = try await PrivateMount.launcher(at: folder, size: 96 << 10)
                // The folder itself takes the only inode.
                let script = #"mount -o "remount,$2" "$3" && exec "$0" store-fill "$1""#
                let program = try #require(try TestProcess.command([]).first)
                let option = what == "full" ? "nr_inodes=1" : "ro"
                let inserting = try processes.start(
                    command: launcher + ["/bin/sh", "-c", script, program, "\(folder)/\(name)", option, folder])
                #expect(try await inserting.lines() == [what == "full" ? "full" : "readOnly", "0", "0"])
            }
        }
    }
#endif

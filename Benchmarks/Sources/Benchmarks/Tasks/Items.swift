#if Store
    import CAttributes
    import Foundation
    import StoredValues
    import StoredValuesStore
    import Synchronization

    /// Collections of items, beside GRDB with the same guarantee.
    func itemTasks(in temporary: TemporaryFolder) async throws -> [Comparison] {
        let folder = try temporary.folder("items")
        let visits = Visit.list(from: 0)
        let numbers = Numbers()
        let store = visitStore("\(folder)/ours.sqlite"), theirs = try ItemDatabase(path: "\(folder)/theirs.sqlite")
        try await store.insert(visits)
        try await theirs.insert(visits)
        let small = visitStore("\(folder)/small.sqlite"), large = visitStore("\(folder)/large.sqlite")
        try await small.insert(Array(visits.prefix(100)))
        for part in 0..<10 { try await large.insert(Visit.list(from: part * 10_000)) }
        let bulk = visitStore("\(folder)/bulk.sqlite"), theirBulk = try ItemDatabase(path: "\(folder)/bulk-theirs.sqlite")
        let bare = Bare(visits)
        return [
            Comparison(
                task: "Read a store's 10,000 items, hot",
                ours: .timed("ours") { count in for _ in 0..<count { use(store.items) } },
                limit: .init(.timed("`Mutex` with the array") { count in for _ in 0..<count { use(bare.value) } }, bar: 2)),
            Comparison(
                task: "Insert one item into 10,000, durably",
                ours: .awaited("ours") { count in for _ in 0..<count { try await store.insert(visit(1_000_000 + numbers.next)) } },
                peers: [
                    .init(
                        .awaited("GRDB's upsert") { count in
                            for _ in 0..<count { try await theirs.insert([visit(1_000_000 + numbers.next)]) }
                        }, bar: 1.25)
                ]),
            Comparison(
                task: "Insert one item into 100,000, durably",
                ours: .awaited("ours") { count in for _ in 0..<count { try await large.insert(visit(1_000_000 + numbers.next)) } },
                limit: .init(
                    .awaited("into 100") { count in
                        for _ in 0..<count {
                            let new = visit(1_000_000 + numbers.next)
                            try await small.insert(new)
                        }
                    }, bar: 1.5)),
            Comparison(
                task: "Insert 10,000 items in one call",
                ours: Contestant("ours") { count in
                    try await sum(count) {
                        try await bulk.removeAll()
                        return try await seconds { try await bulk.insert(visits) }
                    }
                },
                peers: [
                    .init(
                        Contestant("GRDB, the same rows") { count in
                            try await sum(count) {
                                try await theirBulk.removeAll()
                                return try await seconds { try await theirBulk.insert(visits) }
                            }
                        }, bar: 1.2)
                ]),
            Comparison(
                task: "Load 10,000 items",
                ours: .timed("ours") { count in
                    for _ in 0..<count {
                        guard visitStore("\(folder)/ours.sqlite").items.count >= visits.count else { throw Failure(description: "not loaded") }
                    }
                },
                peers: [
                    .init(
                        .timed("SELECT, `JSONDecoder`") { count in
                            for _ in 0..<count {
                                guard try theirs.items().count >= visits.count else { throw Failure(description: "not loaded") }
                            }
                        }, bar: 1)
                ]),
            try otherProcessesCommit(in: temporary),
            Comparison(
                task: "Memory for 10,000 items",
                ours: try memory("\(folder)/ours.sqlite", "ours"),
                limit: .init(try memory("\(folder)/theirs.sqlite", "bare"), bar: 2),
                unit: .memory, race: Race(rounds: 3...3, patience: .zero, turn: .zero)),
        ]
    }

    private let ways = Atomic(0)

    /// A store that shares nothing with others of this process: each call names the file in another way.
    private func visitStore(_ path: String) -> Store<Visit> {
        let url = URL(filePath: path), number = ways.add(1, ordering: .relaxed).newValue
        let way = (0..<16).map { number >> $0 & 1 == 0 ? "/" : "/." }.joined()
        return Store("visits", in: StoreFile(path: "\(url.deletingLastPathComponent().path)\(way)/\(url.lastPathComponent)"))
    }

    private func visit(_ id: Int) -> Visit { Visit.list(from: id, count: 1)[0] }

    private func memory(_ path: String, _ kind: String) throws -> Contestant {
        Contestant(kind == "bare" ? "an array of them" : "ours") { _ in
            let process = try Conversation(Role.command("item-memory", path, kind))
            return Double(try process.hear()) ?? 0
        }
    }

    /// From the beginning of another process's commit until a stream has it.
    private func otherProcessesCommit(in temporary: TemporaryFolder) throws -> Comparison {
        let path = "\(temporary.path)/stamps.sqlite", barePath = "\(temporary.path)/bare-stamps.sqlite"
        let store = visitStore(path), bare = try ItemDatabase(path: barePath)
        let bell = BareFile(folder: try temporary.folder("bell"), name: "preferences.json")
        let watch = try BareWatch(bell)
        let writer = try Conversation(Role.command("item-stamp", path))
        let bareWriter = try Conversation(Role.command("item-stamp", barePath, bell.folder))
        return Comparison(
            task: "Another process's commit until a stream has it",
            ours: Contestant("ours") { count in
                var sum = 0.0
                var events = store.events.makeAsyncIterator()
                for _ in 0..<2 { _ = await events.next(isolation: nil) }  // what is there
                for _ in 0..<count {
                    try writer.tell("now")
                    guard let stamp = await events.next(isolation: nil)?.items.last?.stamp else { break }
                    sum += Double(Int(Role.nanoseconds()) - stamp) / 1e9
                }
                return sum
            },
            limit: .init(
                Contestant("a bell, SELECT") { count in
                    var sum = 0.0
                    for _ in 0..<count {
                        try bareWriter.tell("now")
                        _ = try watch.next()
                        guard let stamp = try bare.item(0)?.stamp else { break }
                        sum += Double(Int(Role.nanoseconds()) - stamp) / 1e9
                    }
                    return sum
                }, bar: 2))
    }

    extension Role {
        /// Inserts an item that says when, at each line. With the folder of a bell it does so without a store, and rings that.
        static func itemStamp(_ path: String, bell: String?) throws {
            let store = bell == nil ? visitStore(path) : nil, database = try bell == nil ? nil : ItemDatabase(path: path)
            let isDone = DispatchSemaphore(value: 0)
            while readLine() != nil {
                Task {
                    try await store?.insert(Visit.stamp(Int(nanoseconds())))
                    try await database?.insert([Visit.stamp(Int(nanoseconds()))])
                    if let bell { try BareFile(folder: bell, name: "preferences.json").replace(with: [], durably: false) }
                    isDone.signal()
                }
                isDone.wait()
            }
        }

        /// Inserts so many items into a new file, one after another.
        static func repeatInsertions(_ count: Int, path: String, bare: Bool) throws {
            let store = visitStore(path + ".sqlite"), theirs = try ItemDatabase(path: path + ".theirs.sqlite")
            let result = Mutex(Result<Void, any Error>.success(())), end = DispatchSemaphore(value: 0)
            Task.detached {
                do {
                    for number in 0..<count {
                        if bare { try await theirs.insert([visit(number)]) } else { try await store.insert(visit(number)) }
                    }
                } catch { result.withLock { $0 = .failure(error) } }
                end.signal()
            }
            end.wait()  // and does not leave the main thread, whose end this valgrind does not survive
            try result.withLock { $0 }.get()
        }

        /// Says how many bytes more of memory the process has when it has the items of a file.
        static func itemMemory(_ path: String, bare: Bool) throws {
            let warm = visitStore(path + ".warm")
            use(warm.items)
            let warmDatabase = try ItemDatabase(path: path + ".warm-theirs")
            use(try warmDatabase.items())
            let before = try residentBytes()
            let store = bare ? nil : visitStore(path)
            let items = try store?.items ?? ItemDatabase(path: path).items()
            malloc_trim(0)  // what decoding has left
            say("\(try residentBytes() - before)")
            use(items)
            withExtendedLifetime(store) {}
        }
    }

    extension Visit {
        var stamp: Int { Int(name) ?? 0 }
        static func stamp(_ stamp: Int) -> Visit { Visit.list(from: 0, count: 1)[0].named("\(stamp)") }
    }
#else
    func itemTasks(in temporary: TemporaryFolder) async throws -> [Comparison] { [] }
#endif

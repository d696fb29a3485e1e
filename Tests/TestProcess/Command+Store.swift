#if Store
    import StoredValuesStore

    /// What the commands keep.
    private struct Note: Codable, Identifiable, Sendable {
        let id: String
        var text = ""
        var count = 0
    }

    extension Command {
        static let store = [
            // Inserts so many notes one by one, with the ids <prefix>0 and so on from those that are there, and prints how many there are.
            Command("store-insert", "file", "prefix", "times") { arguments in
                let store = notes(arguments[0])
                try await patiently { try await store.itemsHaveLoaded() }
                let count = store.items.count { $0.id.hasPrefix(arguments[1]) }
                say("\(count)")
                for number in count..<(count + (try number(arguments[2]))) {
                    try await patiently { try await store.insert(Note(id: "\(arguments[1])\(number)")) }
                    say("\(number + 1)")
                }
            },
            // Adds to one note's number so many times.
            Command("store-update", "file", "id", "times") { arguments in
                let store = notes(arguments[0])
                for _ in 0..<(try number(arguments[2])) {
                    let changed = try await patiently { try await store.update(arguments[1]) { $0.count += 1 } }
                    guard changed != nil else { throw BadArgument(text: arguments[1]) }
                }
                say("done")
            },
            // Carries out one chain: removes all notes, then inserts those with these ids.
            Command("store-replace", "file", "ids") { arguments in
                let new = arguments[1].split(separator: ",").map { Note(id: String($0)) }
                try await patiently { try await notes(arguments[0]).removeAll().insert(new).run() }
                say("done")
            },
            Command("store-remove", "file", "id") { arguments in
                try await notes(arguments[0]).remove(id: arguments[1])
                say("done")
            },
            // Prints the ids of the notes, and whether they could be read.
            Command("store-items", "file") { arguments in
                let store = notes(arguments[0])
                let ids = store.items.map(\.id).joined(separator: ",")
                say(ids)
                if case .unavailable(let error) = store.status { say("\(error)") } else { say("\(store.status)") }
            },
            // Prints each event.
            Command("store-watch", "file") { arguments in
                for await event in notes(arguments[0]).events {
                    say("\(event.operation) \(event.items.map(\.id).joined(separator: ",")) \(event.isExternal ? "external" : "own")")
                }
            },
            // Changes a new file in several ways, and prints a number after each change.
            Command("store-story", "file") { arguments in
                let store = notes(arguments[0])
                func many(_ numbers: Range<Int>) -> [Note] { numbers.map { Note(id: "n\($0)", text: String(repeating: "x", count: 200)) } }
                try await store.insert(Note(id: "a"))
                say("1")
                try await store.insert(Note(id: "b"))
                say("2")
                try await store.insert(many(0..<60))
                say("3")
                try await store.remove(Note(id: "a")).insert(Note(id: "c")).run()
                say("4")
                try await store.remove(many(10..<60))
                say("5")
                try await store.update("b") { $0.count = 7 }
                say("6")
            },
            // Inserts notes until that fails; prints the error, then how many notes memory has, and how many another process reads.
            Command("store-fill", "file") { arguments in
                let store = notes(arguments[0])
                do throws(StoreError) {
                    while true { try await store.insert(Note(id: "\(store.items.count)", text: String(repeating: "x", count: 1000))) }
                } catch {
                    switch error {
                    case .full: say("full")
                    case .readOnly: say("readOnly")
                    default: say("\(error)")
                    }
                }
                say("\(store.items.count)")
                say("\(notes("/" + arguments[0]).items.count)")
            },
            // Inserts notes one by one, whatever goes wrong. Prints of each whether that failed, the ids that memory has then, and those
            // that another process reads.
            Command("store-insert-in-spite-of-errors", "file", "times") { arguments in
                let store = notes(arguments[0])
                for number in 0..<(try number(arguments[1])) {
                    do throws(StoreError) {
                        try await store.insert(Note(id: "\(number)"))
                        say("inserted")
                    } catch { say("\(error)") }
                    try await store.itemsHaveLoaded()
                    for one in [store, notes("/" + arguments[0])] { say(one.items.map(\.id).joined(separator: ",")) }
                }
            },
            // Makes a chain and lets it go.
            Command("store-forget-chain", "file") { arguments in
                let chain: StoreChain = notes(arguments[0]).insert(Note(id: "a")).remove(Note(id: "b")).removeAll()
                withExtendedLifetime(chain) {}
            },
        ]

        /// Makes a change, and tries again where others have kept the file for too long, as that error says: SQLite lets processes wait in no
        /// order, and on a busy machine one of many may have no turn for 5 s.
        private static func patiently<Result>(_ change: () async throws -> Result) async throws -> Result {
            while true {
                do { return try await change() } catch StoreError.locked { continue }
            }
        }

        private static func notes(_ path: String) -> Store<Note> { Store("notes", in: StoreFile(path: path)) }
    }
#else
    extension Command {
        static let store: [Command] = []
    }
#endif

import StoredValues

/// Writes what is left to write, however long others have had the file's lock.
private func flush(_ storage: PreferencesFile) async throws {
    while true {
        do { return try await storage.flush() } catch {
            guard "\(error)".contains("has kept its lock") else { throw error }
        }
    }
}

extension Command {
    static let preferences = [
        // Sets the setting "number" of the program's own file.
        Command("set-number", "number") { arguments in
            let setting = StoredValue(key: "number", default: 0)
            setting.set(try number(arguments[0]))
            try await setting.flush()
            say("done")
        },
        // Sets a counter to one more, for ever, and prints it after each change. It begins at what is stored.
        Command("count", "path") { arguments in
            try await count(arguments[0]) { counter, number in counter.set(number) }
        },
        // The same, with a flush after each change.
        Command("count-and-flush", "path") { arguments in
            try await count(arguments[0]) { counter, number in
                counter.set(number)
                try await counter.flush()
            }
        },
        // The same, with the value "twin" changed together with the counter.
        Command("count-in-batches", "path") { arguments in
            let storage = PreferencesFile(path: arguments[0])
            let twin = StoredValue(key: "twin", default: 0, storage: storage)
            try await count(arguments[0]) { counter, number in
                storage.batch {
                    counter.set(number)
                    twin.set(number)
                }
            }
        },
        // Adds one to "counter" so many times, and prints how long it waited for the longest one, in milliseconds.
        Command("update", "path", "times") { arguments in
            let counter = StoredValue(key: "counter", default: 0, storage: PreferencesFile(path: arguments[0]))
            let clock = ContinuousClock()
            var longest = Duration.zero
            for _ in 0..<(try number(arguments[1])) {
                longest = max(longest, clock.measure { counter.update { $0 += 1 } })
            }
            say("\(longest / .milliseconds(1))")
        },
        // Sets <prefix>-0, <prefix>-1 … to their numbers, and ends when all are in the file, whoever had its lock meanwhile.
        Command("set-own", "path", "prefix", "count") { arguments in
            let storage = PreferencesFile(path: arguments[0])
            for number in 0..<(try number(arguments[2])) {
                StoredValue(key: "\(arguments[1])-\(number)", default: -1, storage: storage).set(number)
            }
            try await flush(storage)
            say("done")
        },
        // Sets "pair" to (n, n), and "left" and "right" to n in one batch, so many times.
        Command("set-pairs", "path", "times") { arguments in
            let storage = PreferencesFile(path: arguments[0])
            let pair = StoredValue(key: "pair", default: Pair(0), storage: storage)
            let left = StoredValue(key: "left", default: 0, storage: storage)
            let right = StoredValue(key: "right", default: 0, storage: storage)
            for number in 0..<(try number(arguments[1])) {
                pair.set(Pair(number))
                storage.batch {
                    left.set(number)
                    right.set(number)
                }
            }
            try await flush(storage)
            say("done")
        },
        // Prints each value of "pair" as "a b". Writes something itself now and then, after which it knows what others wrote.
        Command("watch-pairs", "path") { arguments in
            let storage = PreferencesFile(path: arguments[0])
            let pair = StoredValue(key: "pair", default: Pair(0), storage: storage)
            let writer = Task {
                let seen = StoredValue(key: "seen", default: 0, storage: storage)
                while !Task.isCancelled {
                    seen.update { $0 += 1 }
                    await Task.yield()
                }
            }
            defer { writer.cancel() }
            for await pair in pair.values { say("\(pair.a) \(pair.b)") }
        },
        // Imports the property list, and prints what became of each of its keys.
        Command("import", "path", "list") { arguments in
            say("\(try PreferencesFile(path: arguments[0]).importUserDefaults(at: arguments[1]).keys)")
        },
        // Stores the text under the key, whatever other programs keep there.
        Command("set-text", "path", "key", "text") { arguments in
            StoredValue(key: arguments[1], default: "", storage: PreferencesFile(path: arguments[0])).set(arguments[2])
            say("done")
        },
        // Prints each value of the key.
        Command("watch", "path", "key") { arguments in
            let value = StoredValue(key: arguments[1], default: 0, storage: PreferencesFile(path: arguments[0]))
            for await item in value.values { say("\(item)") }
        },
        // Adds one to the key, and keeps the file's lock in between until a line comes in.
        Command("hold-lock", "path", "key") { arguments in
            let value = StoredValue(key: arguments[1], default: 0, storage: PreferencesFile(path: arguments[0]))
            value.update { item in
                say("held")
                _ = hear()
                item += 1
            }
            say("done")
            while true { _ = hear() }
        },
    ]

    private static func count(
        _ path: String, _ change: (StoredValue<Int>, Int) async throws -> Void
    ) async throws {
        let counter = StoredValue(key: "counter", default: 0, storage: PreferencesFile(path: path))
        var number = counter.wrappedValue
        say("\(number)")
        while true {
            number += 1
            try await change(counter, number)
            say("\(number)")
        }
    }
}

/// Two numbers that are always equal.
private struct Pair: Codable {
    var a: Int
    var b: Int

    init(_ number: Int) {
        a = number
        b = number
    }
}

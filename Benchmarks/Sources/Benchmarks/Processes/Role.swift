import Foundation
import StoredValues
import Synchronization

/// What this program does as a child process of itself: `Benchmarks role <name> <argument>…`.
enum Role {
    static func command(_ name: String, _ arguments: String...) -> [String] {
        [executable, "role", name] + arguments
    }

    private static let executable = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""

    static func play(_ name: String, _ arguments: [String]) throws {
        switch name {
        case "stamp": try stamp()
        case "change": try change(arguments[0], key: arguments[1], bare: arguments[2] == "bare")
        case "memory": try memory(arguments[0])
        case "repeat": try repeatTask(arguments[0], count: Int(arguments[1]) ?? 0, path: arguments[2])
        #if Store
            case "item-stamp": try itemStamp(arguments[0], bell: arguments.dropFirst().first)
            case "item-memory": try itemMemory(arguments[0], bare: arguments[1] == "bare")
        #endif
        default: throw Failure(description: "no role is called \(name)")
        }
    }

    /// Replaces each file whose folder it is told with one that says when.
    private static func stamp() throws {
        while let folder = readLine() {
            let file = BareFile(folder: folder, name: "preferences.json")
            try file.replace(with: Array("{\n  \"stamp\": \(nanoseconds())\n}\n".utf8), durably: false)
        }
    }

    /// The system's clock, which all processes share.
    static func nanoseconds() -> UInt64 { systemTime(CLOCK_MONOTONIC) }

    /// Changes a key so many times as each line says, and answers when it is done. `bare` is the least that keeps processes
    /// from losing each other's changes.
    private static func change(_ folder: String, key: String, bare: Bool) throws {
        let file = BareFile(folder: folder, name: "preferences.json")
        let value = StoredValue(key: key, default: 0, storage: PreferencesFile(path: file.path))
        say("ready")
        while let line = readLine(), let count = Int(line) {
            for _ in 0..<count {
                guard bare else {
                    value.update { $0 += 1 }
                    continue
                }
                let lock = try check(open(folder + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600), "open")
                _ = try check(flock(lock, LOCK_EX), "flock")
                try file.replace(with: file.read(), durably: false)
                close(lock)
            }
            say("done")
        }
    }

    /// Says how many bytes more of memory the process has when it has opened the file and read a key that is not in it.
    private static func memory(_ path: String) throws {
        // All code is in memory before: another file is opened first.
        let other = path + ".small"
        try "{}".write(toFile: other, atomically: false, encoding: .utf8)
        let small = StoredValue(key: "none", default: 0, storage: PreferencesFile(path: other))
        use(small.wrappedValue)
        Thread.sleep(forTimeInterval: 0.2)
        let before = try residentBytes()
        let large = StoredValue(key: "none", default: 0, storage: PreferencesFile(path: path))
        use(large.wrappedValue)
        Thread.sleep(forTimeInterval: 0.2)
        say("\(try residentBytes() - before)")
        use(large.wrappedValue)
    }

    static func residentBytes() throws -> Int {
        let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return (Int(fields[1]) ?? 0) * Int(getpagesize())
    }

    /// Does a task so many times, for a program that counts instructions.
    private static func repeatTask(_ task: String, count: Int, path: String) throws {
        let file = PreferencesFile(path: path)
        switch task {
        case "loop":  // nothing but what the loops of the reads below add
            for number in 0..<count { use(number & 1 == 0) }
        case "read":
            let value = StoredValue(key: "autosave", default: false, storage: file)
            for _ in 0..<count { use(value.wrappedValue) }
        case "text":
            let value = StoredValue(key: "name", default: "", storage: file)
            for _ in 0..<count { use(value.wrappedValue) }
        case "set":
            let value = StoredValue(key: "fontSize", default: 0, storage: file)
            for number in 0..<count { value.set(1_000_000 + number) }
        case "batch":
            let values = (0..<100).map { StoredValue(key: "batch.\($0)", default: 0, storage: file) }
            for number in 0..<count { file.batch { for value in values { value.set(1_000_000 + number) } } }
        #if Store
            case "insert", "upsert": try repeatInsertions(count, path: path, bare: task == "upsert")
        #endif
        default: throw Failure(description: "no task is called \(task)")
        }
    }
}

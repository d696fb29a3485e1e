import Foundation
import StoredValuesSupport
import Testing

@testable import StoredValues

@Suite("A preferences file among processes", .heavy, .hangLimit)
struct ProcessesTests {
    private let processes = TestProcesses()
}

extension ProcessesTests {
    /// The number stored under `key`, read as a process does that was just started; -1 when there is none.
    private func stored(_ key: String, in path: String) -> Int {
        StoredValue(key: key, default: -1, storage: .ofAnotherProcess(path)).wrappedValue
    }

    @Test("8 processes that add to one number 1,000 times each lose nothing, and none starves")
    func update() async throws {
        // One that is kept waiting for 2 s says so, and is no longer one step among processes. Where so much else runs, they begin anew.
        while try await withTemporaryFolder({ try await addAtOnce($0) == false }) {}
    }

    /// Whether none was kept waiting, and so nothing may be lost.
    private func addAtOnce(_ folder: String) async throws -> Bool {
        let path = folder + "/p.json", start = ContinuousClock.now
        let all = try (0..<8).map { _ in try processes.start("update", path, "1000") }
        var longest = 0.0, logs: [String] = []
        for process in all {
            let wait = try #require(try await process.line())
            longest = max(longest, try #require(Double(wait)))
            #expect(try await process.end() == .exit(0))
            logs += process.logs
        }
        print("8,000 updates by 8 processes: \(ContinuousClock.now - start), the longest wait \(longest) ms", logs)
        #expect(logs.isEmpty || longest >= 2_000, "\(logs)")
        guard logs.isEmpty else { return false }
        #expect(stored("counter", in: path) == 8000)
        #expect(try await leftovers(folder) == [])
        return true
    }

    @Test("8 processes that set 200 keys of their own each lose none")
    func ownKeys() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let all = try (0..<8).map { try processes.start("set-own", path, "p\($0)", "200") }
            for process in all { #expect(try await process.line() == "done") }
            let storage = PreferencesFile.ofAnotherProcess(path)
            let wrong = (0..<8).flatMap { process in
                (0..<200).filter {
                    StoredValue(key: "p\(process)-\($0)", default: -1, storage: storage).wrappedValue != $0
                }
            }
            #expect(wrong == [])
            #expect(storage.keys.count == 1600)
        }
    }

    @Test("Readers of the file, and of values in another process, never see half of a change")
    func tornValues() async throws {
        try await withTemporaryFolder { [processes] folder in
            let path = folder + "/p.json"
            let watcher = try processes.start("watch-pairs", path)
            #expect(try await watcher.line() == "0 0")
            let isOver = Guarded(false), states = Guarded(0), values = Guarded(0)
            let reading = Task { [path] in await offPool { readRaw(path, states) { isOver.withLock { $0 } } } }
            let watching = Task {
                while let line = try await watcher.line() {
                    let numbers = line.split(separator: " ")
                    #expect(numbers.count == 2 && numbers.first == numbers.last, "\(line)")
                    values.withLock { $0 += 1 }
                    if line == "300 300" { return }
                }
            }
            // Until both have seen enough to tell, however seldom they get their turns.
            while states.withLock({ $0 }) < 10 || values.withLock({ $0 }) < 10 {
                let writers = try (0..<3).map { _ in try processes.start("set-pairs", path, "300") }
                for writer in writers { #expect(try await writer.line() == "done") }
            }
            #expect(try await processes.start("set-pairs", path, "301").line() == "done")
            isOver.withLock { $0 = true }
            #expect(await reading.value == [])
            try await watching.value
            try await watcher.kill()  // before its folder is removed
            print("mixed readers: \(states.withLock { $0 }) states of the file, \(values.withLock { $0 }) values streamed")
        }
    }

    @Test(
        "A process stopped with the lock held up the others for 2 s at most; all they set is in the file once it continues or dies",
        arguments: [SIGCONT, SIGKILL])
    func stoppedHolder(ending: Int32) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let others = try (0..<3).map { _ in try processes.start("talk", path) }
            for (number, other) in others.enumerated() { #expect(try await other.ask("set before-\(number) 7") == "ok") }
            let holder = try processes.start("hold-lock", path, "held")
            #expect(try await holder.line() == "held")
            try await holder.stop()

            try await withThrowingTaskGroup { group in
                for (number, other) in others.enumerated() {
                    group.addTask { try await setWithoutLock(other, number, path) }
                }
                try await group.waitForAll()
            }
            #expect(PreferencesFile.ofAnotherProcess(path).keys == ["before-0", "before-1", "before-2"])

            try holder.send("go on")  // for when it can
            holder.signal(ending)
            if ending == SIGCONT { #expect(try await holder.line() == "done") } else { _ = try await holder.end() }
            for other in others {
                // Now, not some moments later: flush waits for the lock as any change does.
                #expect(try await other.ask("flush") == "flushed")
            }
            for number in 0..<3 {
                #expect(stored("before-\(number)", in: path) == 7)
                #expect(stored("own-\(number)", in: path) == number)
                #expect(stored("more-\(number)", in: path) == 20)
            }
            #expect(stored("held", in: path) == (ending == SIGCONT ? 1 : -1))
            // Else one of them may be copying the file in the background just now.
            for process in others + (ending == SIGCONT ? [holder] : []) { try await process.kill() }
            #expect(try await leftovers(folder) == [])
        }
    }

    /// What a process can do while another one keeps the lock.
    private func setWithoutLock(_ process: TestProcess, _ number: Int, _ path: String) async throws {
        var answer = ""
        let first = try await elapsed { answer = try await process.ask("set own-\(number) \(number)") }
        #expect(answer == "ok")
        #expect(first >= .seconds(2))
        #expect(try await process.ask("get own-\(number)") == "\(number)")
        for _ in 0..<20 { _ = try await process.ask("increase more-\(number)") }
        answer = try await process.ask("flush")
        #expect(answer.contains(path) && answer.contains("lock"), "\(answer)")
        try await eventually("it is logged") { !process.logs.isEmpty }
        #expect(process.logs.count == 1 && process.logs[0].contains(path), "\(process.logs)")
    }

    @Test("A value set while the lock was unavailable is written once it is free, without another call")
    func writtenUnasked() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let other = try processes.start("talk", path)
            let holder = try processes.start("hold-lock", path, "held")
            #expect(try await holder.line() == "held")
            try await holder.stop()
            #expect(try await other.ask("set a 1") == "ok")
            try await holder.kill()
            try await eventually("the value is written") { stored("a", in: path) == 1 }
        }
    }

    @Test("Who writes the whole file beside it, by whatever name, and renames it over it is not hindered, and neither are we")
    func renamedOver() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let setter = try processes.start("count", path)
            #expect(try await setter.line() == "0")
            let script = #"""
                i=0
                while [ $i -lt 300 ]; do
                    printf '{"i": %d}' $i >"$0.tmp" && mv "$0.tmp" "$0" || echo failed
                    i=$((i + 1))
                done
                """#
            let editor = try ChildProcess(["/bin/sh", "-c", script, path], environment: ProcessInfo.processInfo.environment)
            let failures = try await offPool { Result { try editor.lines(within: hangLimit) } }.get()
            #expect(failures == [])
            for _ in 0..<10 { #expect(try await setter.line() != nil, "it has ended") }
            #expect(setter.logs == [])
            try await setter.kill()
        }
    }

    /// Names in the folder that are none of the library's own files.
    private func leftovers(_ folder: String) async throws -> [String] {
        // The end of a process may interrupt its copying in the background, which the next copy makes good.
        try await PreferencesFile.ofAnotherProcess(folder + "/p.json").flush()
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter {
            !OwnNames.lasting.contains($0)
        }
    }
}

/// Reads the file over and over, without the library, until `isOver`, and counts the states that it sees. Returns those that
/// were torn.
private func readRaw(_ path: String, _ states: borrowing Guarded<Int>, until isOver: () -> Bool) -> [String] {
    var last: FileState?
    var torn: [String] = []
    while !isOver() {
        do {
            let state = try FileState(path)
            guard state != last else { continue }
            last = state
            states.withLock { $0 += 1 }
            if state.isTorn { torn.append("\(state)") }
        } catch CocoaError.fileReadNoSuchFile {
            continue  // nobody has written yet
        } catch {
            torn.append("\(error)")
        }
    }
    return torn
}

/// What `set-pairs` wrote, as another program reads it.
private struct FileState: Decodable, Equatable {
    struct Pair: Decodable, Equatable {
        var a: Int
        var b: Int
    }

    var pair: Pair?
    var left: Int?
    var right: Int?

    init(_ path: String) throws {
        self = try JSONDecoder().decode(FileState.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    }

    var isTorn: Bool { pair?.a != pair?.b || left != right }
}

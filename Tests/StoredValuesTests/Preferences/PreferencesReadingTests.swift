import Foundation
import StoredValuesSupport
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

@Suite("Reading a preferences file during a write", .hangLimit)
struct PreferencesReadingTests {}

extension PreferencesReadingTests {
    /// A file modified that long ago, with that inode; each state differs from the others.
    private func contents(_ text: String, inode: UInt64 = 1, age: Double = 0) -> FileContents {
        let modified = Int64((Date.now.timeIntervalSince1970 - age) * 1_000_000_000)
        let identity = FileIdentity(device: 1, inode: inode, size: Int64(text.utf8.count), modified: modified, changed: modified)
        return FileContents(bytes: Array(text.utf8), identity: identity)
    }

    /// What is found when each reading finds the next of `states`, and how many readings that took.
    private func read(
        _ states: [FileContents?], known: FileIdentity? = nil, patience: Duration = .seconds(60)
    ) throws -> (keys: [String]?, readings: Int) {
        var readings = 0
        let reading = try PreferencesReading(known: known, patience: patience) {
            readings += 1
            return states[min(readings, states.count) - 1]
        }
        return (try? reading.document.get().keys, readings)
    }

    @Test("A file that does not parse yet is read until it does")
    func halfWritten() throws {
        let found = try read([contents("{"), contents(#"{"a": "#), contents(#"{"a": 1}"#)])
        #expect(found.keys == ["a"] && found.readings == 3)
    }

    @Test("A file that never parses counts as broken when patience ends")
    func broken() throws {
        var readings = 0
        while readings < 2 {  // all of the patience may pass before the first one
            let found = try read([contents("{", age: 0)], patience: .milliseconds(50))
            #expect(found.keys == nil)
            readings = found.readings
        }
    }

    @Test("A file that has rested is not read twice, broken or not", arguments: ["{", #"{"a": 1}"#])
    func rested(text: String) throws {
        let found = try read([contents(text, age: 61)], known: contents("{}", age: 70).identity)
        #expect(found.readings == 1)
    }

    @Test("The known file, modified in place a moment ago, is read until it has rested")
    func inPlace() throws {
        let states = [contents(#"{"a": 1}"#), contents(#"{"a": 1, "b": 2}"#, age: 61)]
        let found = try read(states, known: contents("{}", age: 70).identity)
        #expect(found.keys == ["a", "b"] && found.readings == 2)
    }

    @Test("A change waits once for a program that writes in place without end, though what that writes is read elsewhere meanwhile")
    func writtenWithoutEnd() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json", setter = currentThreadNumber()
            try writeFinished(Array("{}".utf8), to: path)
            let beforeOpening = Guarded<(@Sendable () -> Void)?>(nil)
            let operations = FaultyFileOperations { call in
                guard call == "open reading", currentThreadNumber() == setter else { return }
                beforeOpening.withLock { $0 }?()
            }
            let storage = PreferencesFile.ofAnotherProcess(path, operations: operations, syncDelay: .seconds(3600))
            // What the watch reads when it hears of a change is read below, always at the wrong moment.
            storage.store.queues.watching.sync {}
            storage.store.state.withLock { $0.watches = [] }
            @Sendable func write(_ number: Int) {
                // Of another size each time, however coarse the clock is.
                let text = "{\"n\": \(number)\(String(repeating: " ", count: number))}"
                #expect(throws: Never.self) { try text.write(toFile: path, atomically: false, encoding: .utf8) }
            }
            // The program stops when a change that waits once is tired of it, and one that begins anew is in the middle of the second time.
            let patience = RefreshSchedule.patience * 3 / 2
            let writes = Guarded((count: 1, end: ContinuousClock.Instant?.none, isOver: false, opensAfterwards: 0))
            write(1)
            beforeOpening.withLock {
                $0 = {
                    let next = writes.withLock { writes -> Int? in
                        guard !writes.isOver else {
                            writes.opensAfterwards += 1
                            return nil
                        }
                        let now = ContinuousClock.now, end = writes.end ?? now + patience
                        (writes.count, writes.end, writes.isOver) = (writes.count + 1, end, now >= end)
                        return writes.count
                    }
                    guard let next else { return }
                    write(next)
                    onAnotherThread { storage.store.refresh() }
                }
            }
            StoredValue(key: "a", default: 0, storage: storage).set(1)
            beforeOpening.withLock { $0 = nil }
            let (count, opensAfterwards) = writes.withLock { ($0.count, $0.opensAfterwards) }
            // To pin what was read, to read it once more, twice again in a moment, to pin that, and to pin what was written. One that waits
            // anew opens it for 200 ms, every 10 ms.
            #expect(opensAfterwards <= 8)
            let other = PreferencesFile.ofAnotherProcess(path)
            #expect(["a", "n"].map { StoredValue(key: $0, default: 0, storage: other).wrappedValue } == [1, count])
        }
    }

    @Test("A new file that parses, none, and the known one unchanged are taken at once")
    func whole() throws {
        let known = contents("{}")
        for state in [contents(#"{"a": 1}"#, inode: 2), nil, known] {
            let found = try read([state], known: known.identity)
            #expect(found.readings == 1)
        }
    }
}

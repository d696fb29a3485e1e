import Foundation
import StoredValuesSupport
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

@Suite("The status of a fleet's settings", .hangLimit)
struct FleetStatusTests {}

extension FleetStatusTests {
    /// No machine is so slow that a confirmation grows as old.
    private static let ever = Duration.seconds(1_000_000)

    private func stale(_ status: FleetStatus?) -> (since: Date, why: String)? {
        if case .stale(let since, let why) = status { (since, why) } else { nil }
    }

    @Test("It is current only while the agent confirms it, and then this process has read what the agent wrote")
    func current() async throws {
        try await withFleetFiles { files in
            let file = files.open()
            let number = StoredValue(key: "number", default: 0, storage: file)
            #expect(file.fleetStatus == .none)
            try files.report(.current(revision: 1))
            #expect(file.fleetStatus == .never)
            for next in 1...50 {
                try files.mirror(["number": JSONValue(next)], revision: next)
                try await eventually("it is current, on a machine that stalls for less than 10 s") {
                    try files.report(.current(revision: next))
                    let status = file.fleetStatus
                    #expect(number.value == next, "it was read, whatever the watch is at")
                    return status == .current(revision: next)
                }
            }
            let wrong: [(BootMoment?, since: Date?)] = [
                (.now.before(by: .seconds(3600)), nil), (.now.ofAnotherBoot, nil), (.now.inTheFuture, nil),
                (nil, Date(timeIntervalSince1970: 1000)),
            ]
            try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1000)], ofItemAtPath: files.mirror)
            for (confirmed, since) in wrong {
                try files.report(.current(revision: 50), confirmed: confirmed)
                let found = try #require(stale(file.fleetStatus))
                #expect(found.since == since ?? confirmed?.date && found.why.contains("The agent has not confirmed them since"))
            }
            #expect(number.value == 50, "nothing falls back to defaults")
        }
    }

    @Test("It is stale with the agent's words, without a report, with a bad report and with a mirror that cannot be read")
    func troubles() async throws {
        try await withFleetFiles { files in
            let file = files.open(), since = Date(timeIntervalSince1970: 1000)
            try files.mirror(["number": 1])
            try FileManager.default.setAttributes([.modificationDate: since], ofItemAtPath: files.mirror)
            let silent = try #require(stale(file.fleetStatus))
            #expect(silent.since == since && silent.why.contains("\"\(files.report)\". Start the agent"))
            try files.report(.stale(since: since, why: "No quorum."))
            #expect(file.fleetStatus == .stale(since: since, why: "No quorum."))
            for bytes in [[], Array("{".utf8), [UInt8](repeating: 0x20, count: FleetReport.sizeLimit + 1)] {
                try files.report(bytes)
                let found = try #require(stale(file.fleetStatus))
                #expect(found.since == since && found.why.contains("\"\(files.report)\" is not a valid agent report") && found.why.contains("Restart the agent"))
            }
            try FileManager.default.removeItem(atPath: files.report)
            try FileManager.default.createDirectory(atPath: files.report, withIntermediateDirectories: false)
            #expect(try #require(stale(file.fleetStatus)).why.contains("Could not"))
            try FileManager.default.removeItem(atPath: files.mirror)
            #expect(stale(file.fleetStatus) != nil, "a bad report is never none")
            try FileManager.default.removeItem(atPath: files.report)
            #expect(file.fleetStatus == .none)

            try files.report(.current(revision: 2))
            try "{ broken".write(toFile: files.mirror, atomically: true, encoding: .utf8)
            let broken = try #require(stale(file.fleetStatus))
            #expect(broken.why.contains("Could not read the fleet's settings \"\(files.mirror)\"") && broken.why.contains("Restart the agent"))
            #expect(file.fleetStatus == .stale(since: broken.since, why: broken.why), "the same again")
        }
    }

    @Test("The stream has the status, then every change of it, and no two that are equal")
    func changes() async throws {
        try await withFleetFiles { files in
            let file = files.open(), since = Date(timeIntervalSince1970: 1000)
            var statuses = FleetWatch.statuses(of: file.store, freshness: Self.ever).makeAsyncIterator()
            #expect(await statuses.next() == FleetStatus.none)
            try files.report(.stale(since: since, why: "No quorum."))
            #expect(await statuses.next() == .never)
            try files.mirror(["number": 1])
            #expect(await statuses.next() == .stale(since: since, why: "No quorum."))
            for revision in 1...20 {
                // Confirmed again and again, and as often told only once.
                for _ in 1...3 { try files.report(.current(revision: revision)) }
                #expect(await statuses.next() == .current(revision: revision))
            }
            try "{ broken".write(toFile: files.mirror, atomically: true, encoding: .utf8)
            #expect(stale(await statuses.next())?.why.contains("Could not read the fleet's settings") == true)
            try files.mirror(["number": 2], revision: 21)
            #expect(await statuses.next() == .current(revision: 20))
            try FileManager.default.removeItem(atPath: files.report)
            #expect(stale(await statuses.next())?.why.contains("Start the agent") == true)
            try FileManager.default.removeItem(atPath: files.mirror)
            #expect(await statuses.next() == FleetStatus.none)
        }
    }

    @Test("It grows stale by itself when nothing confirms it any more")
    func silence() async throws {
        try await withFleetFiles { files in
            let file = files.open()
            try files.mirror(["number": 1])
            // A machine may stall for longer than that: then it is stale at once, and there is another attempt with more time.
            var freshness = Duration.milliseconds(100), isSeen = false
            while !isSeen {
                let confirmed = BootMoment.now
                try files.report(.current(revision: 1), confirmed: confirmed)
                var statuses = FleetWatch.statuses(of: file.store, freshness: freshness).makeAsyncIterator()
                let first = await statuses.next()
                isSeen = first == .current(revision: 1)
                let last = isSeen ? await statuses.next() : first
                #expect(stale(last)?.since == confirmed.date)
                freshness *= 2
            }
        }
    }

    @Test("Cancelling the task that iterates ends it")
    func end() async throws {
        try await withFleetFiles { files in
            let file = files.open()
            try files.mirror(["number": 1])
            try files.report(.current(revision: 1))
            let statuses = FleetWatch.statuses(of: file.store, freshness: Self.ever)
            let isTold = Guarded(false)
            let task = Task {
                for await _ in statuses { isTold.withLock { $0 = true } }
            }
            try await eventually("it runs") { isTold.withLock { $0 } }
            task.cancel()
            await task.value
        }
    }

    @Test("It watches as long as it is iterated, and no inotify watch remains")
    func watches() async throws {
        try await withFleetFiles { files in
            try files.mirror(["number": 1])
            let folder = URL(fileURLWithPath: files.mirror).deletingLastPathComponent().path
            #expect(try watchers(of: folder) == 0)
            do {
                let file = files.open()
                for _ in 1...20 {
                    _ = file.fleetStatuses.makeAsyncIterator()  // dropped before it began
                    var iterators = (1...10).map { _ in file.fleetStatuses.makeAsyncIterator() }
                    for index in iterators.indices { _ = await iterators[index].next(isolation: nil) }
                    #expect(try watchers(of: folder) == 1)
                    withExtendedLifetime(iterators) {}
                }
            }
            // The file itself is watched, too, as long as it is there; and what iterates keeps it.
            try await eventually("nothing watches it any more") { try watchers(of: folder) == 0 }
        }
    }

    /// How many inotify instances of this process watch the folder at `path`, as the kernel lists them.
    private func watchers(of path: String) throws -> Int {
        /// What the kernel calls the folders that an instance watches: "ino:… sdev:…".
        func folders(_ descriptor: String) -> [String] {
            let text = (try? contents(ofFile: "/proc/self/fdinfo/\(descriptor)")) ?? ""  // it may be closed by now
            let lines = text.split(separator: "\n").filter { $0.hasPrefix("inotify wd:") }
            return lines.map { $0.split(separator: " ").dropFirst(2).prefix(2).joined(separator: " ") }
        }
        // One of our own says what this folder is called.
        let inotify = Inotify()
        let own = try inotify.open()
        defer { inotify.close(own) }
        _ = try inotify.watch(path, for: .deleted, adding: true, in: own)
        let folder = try #require(folders("\(own)").first)
        return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fdinfo").count { folders($0).contains(folder) } - 1
    }

    @Test("A file without a fleet has the status none once, and then waits")
    func others() async throws {
        try await withTemporaryFolder { folder in
            let file = PreferencesFile(path: folder + "/p.json")
            #expect(file.fleetStatus == .none)
            let seen = Collector(file.fleetStatuses)
            try await seen.wait(for: [.none])
            let count = Guarded(0), isDone = Guarded(false)
            let task = Task {
                for await _ in file.fleetStatuses { count.withLock { $0 += 1 } }
                isDone.withLock { $0 = true }
            }
            try await eventually("it has the first one") { count.withLock { $0 } == 1 }
            StoredValue(key: "a", default: 0, storage: file).set(1)
            try await file.flush()
            #expect(!isDone.withLock { $0 } && seen.elements == [.none])
            task.cancel()
            await task.value
            #expect(count.withLock { $0 } == 1)
        }
    }

    @Test("Asked inside a change, it is answered, and what it found is told after the change")
    func insideAChange() async throws {
        try await withFleetFiles { files in
            let file = files.open()
            let number = StoredValue(key: "number", default: 0, storage: file), own = StoredValue(key: "own", default: 0, storage: file)
            try files.mirror(["number": 1])
            own.update { own in
                own = 1
                #expect(stale(file.fleetStatus) != nil)
            }
            #expect(number.value == 1 && own.value == 1)
        }
    }
}

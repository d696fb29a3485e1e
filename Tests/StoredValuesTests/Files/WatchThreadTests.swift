import Dispatch
import Foundation
import StoredValuesSupport
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

@Suite("The thread of file watches", .hangLimit)
struct WatchThreadTests {
    private let files = FileManager.default
    private let operations = FileOperations.posix
}

extension WatchThreadTests {
    private func write(_ text: String, byRenamingOver path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path + ".new"))
        try operations.rename(path + ".new", to: path)
    }

    private func makeFolder(_ path: String) throws {
        try files.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    private func link(_ path: String, to target: String) throws {
        try files.createSymbolicLink(atPath: path, withDestinationPath: target)
    }

    // MARK: What it costs

    @Test("All watches share one instance; the last one's end frees its folders, ends the thread, and the next begins again")
    func lifetime() async throws {
        try await withTemporaryFolder { folder in
            let inotify = FaultyInotify()
            let thread = WatchThread(inotify)
            for round in 1...2 {
                let owners = (1...20).map { WatchingOwner(folder + "/sub/\($0)/file", on: thread) }
                let alone = try inotify.watchedFolders()
                #expect(alone > 0)
                try makeFolder(folder + "/sub/7")
                try write("one", byRenamingOver: folder + "/sub/7/file")
                try await eventually("the text") { owners[6].text == "one" }
                // The text may come from a look that was made while there were not all folders yet.
                try await eventually("its folders are watched") { try inotify.watchedFolders() == alone + 2 }
                #expect(inotify.opened == round)
                try files.removeItem(atPath: folder + "/sub")
                try await eventually("its end") { owners[6].text == nil }
                try await eventually("the folders' end") { try inotify.watchedFolders() == alone }
                for owner in owners { owner.dropWatch() }
                try await eventually("the instance's end") { inotify.instances.isEmpty }
            }
        }
    }

    @Test("While this process replaces files the thread rests between events, whatever they are about, and misses none")
    func rest() async throws {
        try await withTemporaryFolder { folder in
            let inotify = FaultyInotify()
            let heard = Guarded(0)
            let watch = FileWatch(DurableFile(path: folder + "/file"), on: WatchThread(inotify)) { _ in heard.withLock { $0 += 1 } }
            let other = DurableFile(path: folder + "/other")
            let before = inotify.reads
            var reads = 0
            let time = try await elapsed {
                for _ in 1...1000 { try other.withLock { file in _ = try file.replace(with: [1], durably: false) } }
                reads = inotify.reads - before
            }
            #expect(reads <= Int(time / .milliseconds(2)) + 2)
            try write("x", byRenamingOver: folder + "/file")
            try await eventually("the change was heard") { heard.withLock { $0 } > 0 }
            withExtendedLifetime(watch) {}
        }
    }

    @Test("The thread sleeps while nothing happens to its files, even in busy folders on their way")
    func idle() async throws {
        try await withTemporaryFolder { folder in
            try makeFolder(folder + "/a/b")
            try makeFolder(folder + "/c")
            try write("one", byRenamingOver: folder + "/c/real")
            try link(folder + "/a/b/file", to: "../../c/real")
            let inotify = FaultyInotify()
            let owner = WatchingOwner(folder + "/a/b/file", on: WatchThread(inotify))
            try write("two", byRenamingOver: folder + "/c/real")
            try await eventually("the text") { owner.text == "two" }
            // What the owner asks of its folders, having seen the text, may come late, and is read once more.
            var isQuiet = false
            for _ in 0..<5 where !isQuiet {
                let settled = try await settledReads(inotify)
                for number in 1...300 {
                    try write("x", byRenamingOver: folder + "/\(number)")
                    try write("x", byRenamingOver: folder + "/a/\(number)")
                    try files.removeItem(atPath: folder + "/\(number)")
                }
                isQuiet = try inotify.reads == settled.reads && inotify.threadStatus("voluntary_ctxt_switches") == settled.switches
            }
            #expect(isQuiet)
            try write("three", byRenamingOver: folder + "/c/real")
            try await eventually("the next text") { owner.text == "three" }
        }
    }

    /// The counts once the thread is asleep, which is when they are the same twice, and it slept before both.
    private func settledReads(_ inotify: FaultyInotify) async throws -> (reads: Int, switches: String) {
        var last: (reads: Int, switches: String)?
        try await eventually("the thread's sleep") {
            let isAsleep = try inotify.threadStatus("State")?.hasPrefix("S") == true
            let now = (reads: inotify.reads, switches: try inotify.threadStatus("voluntary_ctxt_switches") ?? "")
            defer { last = isAsleep ? now : nil }
            return last.map { isAsleep && $0 == now } ?? false
        }
        return try #require(last)
    }

    @Test("No more is asked of a folder than is wanted now")
    func narrowed() async throws {
        try await withTemporaryFolder { folder in
            try makeFolder(folder + "/a")
            let inotify = FaultyInotify()
            let thread = WatchThread(inotify)
            let owner = WatchingOwner(folder + "/a/file", on: thread)
            let passing: FolderEvents = [.selfDeleted, .selfMoved]
            // An empty folder may be removed.
            #expect(inotify.asked(of: folder) == passing.union([.deleted, .movedTo]))
            #expect(inotify.asked(of: folder + "/a") == passing.union(.file))
            try write("one", byRenamingOver: folder + "/a/file")
            try await eventually("the text") { owner.text == "one" }
            #expect(inotify.asked(of: folder) == passing)
            // Another watch wants more, as long as it is there and somebody looks.
            let other = WatchingOwner(folder + "/file", on: thread)
            #expect(inotify.asked(of: folder) == passing.union(.file))
            other.dropWatch()
            try files.removeItem(atPath: folder + "/a/file")
            try await eventually("its end") { owner.text == nil }
            #expect(inotify.asked(of: folder) == passing.union([.deleted, .movedTo]))
        }
    }

    @Test("The program's signals are not handled on the thread, but its own crashes are, and it has a name")
    func signals() async throws {
        try await withTemporaryFolder { folder in
            let inotify = FaultyInotify()
            let owner = WatchingOwner(folder + "/file", on: WatchThread(inotify))
            try await eventually("the thread's start") { try inotify.threadStatus("Name") == "file-watch" }
            let mask = try #require(try inotify.threadStatus("SigBlk").flatMap { UInt64($0, radix: 16) })
            func isBlocked(_ signal: Int32) -> Bool { mask & (1 << UInt64(signal - 1)) != 0 }
            for signal in [SIGHUP, SIGINT, SIGTERM, SIGCHLD, SIGALRM, SIGUSR1, SIGPIPE] { #expect(isBlocked(signal)) }
            for signal in [SIGSEGV, SIGILL, SIGTRAP, SIGBUS, SIGABRT] { #expect(!isBlocked(signal)) }
            owner.dropWatch()
        }
    }

    // MARK: Many events

    /// Runs `body` while the thread sits in a handler.
    private func whileBusy(_ thread: WatchThread, in folder: String, _ body: () throws -> Void) async throws {
        let isBusy = Guarded(false)
        let gate = DispatchSemaphore(value: 0)
        let blocker = FileWatch(DurableFile(path: folder + "/blocker"), on: thread) { _ in
            // Where there was no room for it at first, it is told on another thread that there is now.
            guard (try? contents(ofFile: "/proc/thread-self/comm")) == "file-watch\n" else { return }
            let isFirst = isBusy.withLock { isBusy in
                defer { isBusy = true }
                return !isBusy
            }
            if isFirst { gate.wait() }
        }
        try await eventually("the handler") {
            try write("", byRenamingOver: folder + "/blocker")
            return isBusy.withLock { $0 }
        }
        defer { gate.signal() }
        try body()
        withExtendedLifetime(blocker) {}
    }

    @Test("What comes at once is reported once, and the last of it decides")
    func oneBatch() async throws {
        try await withTemporaryFolder { folder in
            try makeFolder(folder + "/a")
            let thread = WatchThread(FaultyInotify())
            let owner = WatchingOwner(folder + "/a/file", on: thread)
            try await whileBusy(thread, in: folder) {
                for number in 1...200 { try write("\(number)", byRenamingOver: folder + "/a/file") }
            }
            try await eventually("the last text") { owner.text == "200" }
            try await whileBusy(thread, in: folder) {
                try files.removeItem(atPath: folder + "/a/file")
                try write("201", byRenamingOver: folder + "/a/file")
                try files.moveItem(atPath: folder + "/a/file", toPath: folder + "/a/old")
            }
            try await eventually("its end") { owner.text == nil }
            #expect(owner.events == [.replaced, .movedAway])
        }
    }

    @Test("After an overflow of events, every watch reports that it missed something", .heavy)
    func overflow() async throws {
        // Seen once: nothing was lost, because the thread could read in between. What is lost is seen only after an overflow is reported.
        var attempts = 1
        while try await firstEvents() == [.replaced] {
            attempts += 1
            try #require(attempts < 10, "the queue of events never overflows")
        }
    }

    /// Loses events, and returns what was reported of them.
    private func firstEvents() async throws -> [FileWatch.Event] {
        try await withTemporaryFolder { folder in
            try makeFolder(folder + "/a")
            try makeFolder(folder + "/b")
            let thread = WatchThread(FaultyInotify())
            let owner = WatchingOwner(folder + "/a/file", on: thread)
            let other = WatchingOwner(folder + "/b/c/file", on: thread)
            let limit = try #require(
                Int(try contents(ofFile: "/proc/sys/fs/inotify/max_queued_events").trimmingCharacters(in: .newlines)))
            try await whileBusy(thread, in: folder) {
                // The same event twice in a row is kept once.
                let writers = try ["x", "y"].map { try operations.open(folder + "/a/" + $0, for: .creating) }
                for number in 0...(limit + 10) {
                    var byte: UInt8 = 0
                    _ = try withUnsafeBytes(of: &byte) { try operations.write(writers[number % 2], from: $0) }
                }
                for writer in writers { operations.close(writer) }
                try write("lost", byRenamingOver: folder + "/a/file")
                try makeFolder(folder + "/b/c")
                try write("lost", byRenamingOver: folder + "/b/c/file")
            }
            try await eventually("the lost texts") { owner.text == "lost" && other.text == "lost" }
            let events = owner.events
            #expect(events == [.uncertain] || events == [.replaced])
            try write("next", byRenamingOver: folder + "/b/c/file")
            try await eventually("the next text") { other.text == "next" }
            return events
        }
    }

    // MARK: At the wrong moment

    @Test("A folder exchanged while its way is being watched is the one that is watched", arguments: ["a", "a/b", "a/b/c"])
    func exchangedMeanwhile(before exchange: String) async throws {
        try await withTemporaryFolder { folder in
            try makeFolder(folder + "/a/b/c")
            try makeFolder(folder + "/new/c")
            let isDone = Guarded(false)
            let operations = operations
            let inotify = FaultyInotify { path in
                guard path == folder + "/" + exchange, !isDone.withLock({ $0 }) else { return }
                isDone.withLock { $0 = true }
                do {
                    try operations.rename(folder + "/a/b", to: folder + "/old")
                    try operations.rename(folder + "/new", to: folder + "/a/b")
                } catch {
                    Issue.record(error)
                }
            }
            let owner = WatchingOwner(folder + "/a/b/c/file", on: WatchThread(inotify))
            #expect(isDone.withLock { $0 })
            try write("one", byRenamingOver: folder + "/a/b/c/file")
            try await eventually("the text") { owner.text == "one" }
            // And it is heard when that one is exchanged in turn.
            try makeFolder(folder + "/third/c")
            try write("two", byRenamingOver: folder + "/third/c/file")
            try operations.rename(folder + "/a/b", to: folder + "/older")
            try operations.rename(folder + "/third", to: folder + "/a/b")
            try await eventually("the third folder's text") { owner.text == "two" }
        }
    }

    @Test("A folder that is removed and made again before its file's end is heard is watched anew, though a program has the old file open")
    func remade() async throws {
        try await withTemporaryFolder { folder in
            try makeFolder(folder + "/a")
            try write("one", byRenamingOver: folder + "/a/file")
            let thread = WatchThread(FaultyInotify())
            let owner = WatchingOwner(folder + "/a/file", on: thread)
            // So the folder does not report its own end.
            let held = try operations.open(folder + "/a/file", for: .reading)
            defer { operations.close(held) }
            try await whileBusy(thread, in: folder) {
                try files.removeItem(atPath: folder + "/a")
                try makeFolder(folder + "/a")
                try write("two", byRenamingOver: folder + "/a/file")
            }
            try await eventually("the new folder's text") { owner.text == "two" }
            try write("three", byRenamingOver: folder + "/a/file")
            try await eventually("its next text") { owner.text == "three" }
        }
    }

    @Test("A folder that is removed and made again just before a watch of its file is ready is the one that is watched")
    func remadeMeanwhile() async throws {
        try await withTemporaryFolder { folder in
            try makeFolder(folder + "/a")
            try write("one", byRenamingOver: folder + "/a/file")
            let held = try operations.open(folder + "/a/file", for: .reading)
            defer { operations.close(held) }
            let moment = Moment()
            let inotify = FaultyInotify(whenAsked: { _ in moment.happen() })
            moment.set {
                let before = inotify.reads
                do {
                    try FileManager.default.removeItem(atPath: folder + "/a")
                    try FileManager.default.createDirectory(atPath: folder + "/a", withIntermediateDirectories: false)
                    try writeFinished(Array("two".utf8), to: folder + "/a/file")
                } catch {
                    Issue.record(error)
                }
                // Until the thread has dealt with it.
                while inotify.reads == before || !inotify.isReading { yieldThread() }
            }
            let owner = WatchingOwner(folder + "/a/file", on: WatchThread(inotify))
            try write("three", byRenamingOver: folder + "/a/file")
            try await eventually("the text") { owner.text == "three" }
        }
    }

    @Test("What comes or turns between looking and watching is not missed")
    func changedMeanwhile() async throws {
        try await withTemporaryFolder { folder in
            try makeFolder(folder + "/one")
            try link(folder + "/link", to: "one")
            let steps = Guarded(0)
            let operations = operations
            let inotify = FaultyInotify { path in
                guard path == folder else { return }
                let step = steps.withLock { steps in
                    steps += 1
                    return steps
                }
                do {
                    if step == 1 {
                        try operations.unlink(folder + "/link")
                        try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: "two/three")
                    } else if step == 2 {
                        try operations.makeFolder(folder + "/two", mode: 0o700)
                        try operations.makeFolder(folder + "/two/three", mode: 0o700)
                    }
                } catch {
                    Issue.record(error)
                }
            }
            let owner = WatchingOwner(folder + "/link/file", on: WatchThread(inotify))
            #expect(steps.withLock { $0 } > 2)
            try write("one", byRenamingOver: folder + "/two/three/file")
            try await eventually("the text") { owner.text == "one" }
        }
    }

    @Test("What is heard before a watch is ready makes it look again")
    func heardMeanwhile() async throws {
        try await withTemporaryFolder { folder in
            try makeFolder(folder + "/a")
            try makeFolder(folder + "/new")
            let moment = Moment()
            let operations = operations
            let inotify = FaultyInotify(whenAsked: { _ in moment.happen() })
            moment.set {
                let before = inotify.reads
                do {
                    try operations.rename(folder + "/a", to: folder + "/old")
                    try operations.rename(folder + "/new", to: folder + "/a")
                } catch {
                    Issue.record(error)
                }
                // Until the thread has dealt with it.
                while inotify.reads == before || !inotify.isReading { yieldThread() }
            }
            let owner = WatchingOwner(folder + "/a/file", on: WatchThread(inotify))
            try write("one", byRenamingOver: folder + "/a/file")
            try await eventually("the text") { owner.text == "one" }
        }
    }

    /// Something that happens once.
    private final class Moment: Sendable {
        private let action = Guarded<(@Sendable () -> Void)?>(nil)

        func set(_ action: @escaping @Sendable () -> Void) { self.action.withLock { $0 = action } }

        func happen() {
            let action = action.withLock { action in
                defer { action = nil }
                return action
            }
            action?()
        }
    }

    @Test("A way that does not stay the same is a problem, not a hang, and goes when it does")
    func keepsChanging() async throws {
        try await withTemporaryFolder { folder in
            try link(folder + "/link", to: "0")
            let turns = Guarded(1)
            let inotify = FaultyInotify { path in
                let turn = turns.withLock { turns in
                    if turns > 0 { turns += 1 }
                    return turns
                }
                guard path == folder, turn > 0 else { return }
                do {
                    try FileOperations.posix.unlink(folder + "/link")
                    try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: "\(turn)")
                } catch {
                    Issue.record(error)
                }
            }
            let owner = WatchingOwner(folder + "/link", on: WatchThread(inotify))
            #expect(owner.problem == FileError(.watch, folder + "/link", .keepsChanging))
            turns.withLock { $0 = 0 }
            try await eventually("the end of the problem") { owner.problem == nil && owner.events.last == .uncertain }
        }
    }

    @Test("A watch ended by an earlier handler gets no events of the same time")
    func endedMeanwhile() async throws {
        try await withTemporaryFolder { folder in
            let thread = WatchThread(FaultyInotify())
            let later = WatchingOwner(folder + "/later", on: thread)
            let earlier = WatchingOwner(folder + "/earlier", on: thread) { _ in later.dropWatch() }
            try await whileBusy(thread, in: folder) {
                try write("one", byRenamingOver: folder + "/earlier")
                try write("one", byRenamingOver: folder + "/later")
            }
            try await eventually("the earlier text") { earlier.text == "one" }
            try write("two", byRenamingOver: folder + "/earlier")
            try await eventually("the next text") { earlier.text == "two" }
            #expect(later.events == [])
        }
    }

    private final class End: Sendable {
        let isReached = Guarded(false)
    }

    @Test("Watches made and dropped by many threads while files change neither crash nor miss the last change")
    func stress() async throws {
        try await withTemporaryFolder { folder in
            let inotify = FaultyInotify()
            let thread = WatchThread(inotify)
            let path = folder + "/a/b/file"
            let end = End()
            async let changes: Void = offPool {
                let files = FileManager.default
                for number in 1...150 {
                    // Each fails when it meets the folder as the one before left it.
                    try? files.createDirectory(atPath: folder + "/a/b", withIntermediateDirectories: true)
                    try? Data("\(number)".utf8).write(to: URL(fileURLWithPath: path))
                    if number % 3 == 0 { try? files.removeItem(atPath: folder + "/a") }
                    if number % 5 == 0 { try? files.moveItem(atPath: folder + "/a", toPath: folder + "/old\(number)") }
                }
                end.isReached.withLock { $0 = true }
            }
            await withTaskGroup(of: Void.self) { group in
                for _ in 1...4 {
                    group.addTask {
                        await offPool {
                            while !end.isReached.withLock({ $0 }) {
                                var watches = (1...5).map { _ in FileWatch(DurableFile(path: path), on: thread) { _ in } }
                                watches.removeFirst()
                            }
                        }
                    }
                }
            }
            await changes
            let owner = WatchingOwner(path, on: thread)
            try makeFolder(folder + "/a/b")
            try write("last", byRenamingOver: path)
            try await eventually("the last text") { owner.text == "last" }
            owner.dropWatch()
            try await eventually("the instance's end") { inotify.instances.isEmpty }
        }
    }

    // MARK: Failures

    @Test("Without inotify there is a problem that says what to do; a later watch tries again")
    func noInstance() async throws {
        try await withTemporaryFolder { folder in
            let inotify = FaultyInotify(failing: ["open": .tooManyOpenFiles])
            let thread = WatchThread(inotify)
            let owner = WatchingOwner(folder + "/file", on: thread)
            #expect(owner.problem == FileError(.watch, folder + "/file", .tooManyOpenFiles))
            #expect("\(try #require(owner.problem))".contains("sysctl fs.inotify.max_user_instances"))
            inotify.fail("open", with: nil)
            let later = WatchingOwner(folder + "/file", on: thread)
            #expect(later.problem == nil)
            try write("one", byRenamingOver: folder + "/file")
            try await eventually("the text") { later.text == "one" }
        }
    }

    @Test("A folder beyond the limit is a problem that names it, and the others are watched")
    func tooManyWatches() async throws {
        try await withTemporaryFolder { folder in
            try makeFolder(folder + "/a/b")
            let inotify = FaultyInotify(failing: ["watch \(folder)/a": .noSpace])
            let owner = WatchingOwner(folder + "/a/b/file", on: WatchThread(inotify))
            #expect(owner.problem == FileError(.watch, folder + "/a", .noSpace))
            #expect("\(try #require(owner.problem))".contains("sysctl fs.inotify.max_user_watches"))
            try write("one", byRenamingOver: folder + "/a/b/file")
            try await eventually("the text") { owner.text == "one" }
        }
    }

    @Test("A watch that failed for lack of resources is retried, and the owner is told to read", arguments: ["open", "watch"])
    func triedAgain(call: String) async throws {
        try await withTemporaryFolder { folder in
            let fault = call == "open" ? "open" : "watch \(folder)"
            let inotify = FaultyInotify(failing: [fault: .tooManyOpenFiles])
            let thread = WatchThread(inotify, retries: RetryThread(firstPause: .milliseconds(1)))
            let owner = WatchingOwner(folder + "/file", on: thread)
            #expect(owner.problem != nil)
            try write("unseen", byRenamingOver: folder + "/file")
            inotify.fail(fault, with: nil)
            try await eventually("the watch begins, and what it missed is read") { owner.problem == nil && owner.text == "unseen" }
            try write("seen", byRenamingOver: folder + "/file")
            try await eventually("the text") { owner.text == "seen" }
            owner.dropWatch()
            try await eventually("the instance's end") { inotify.instances.isEmpty }
        }
    }

    @Test("A file system that could not be asked for, for lack of descriptors, is asked for again")
    func fileSystemLater() async throws {
        try await withTemporaryFolder { folder in
            let inotify = FaultyInotify(failing: ["mount": .tooManyOpenFiles])
            inotify.pretend("nfs4", at: folder)
            let owner = WatchingOwner(folder + "/file", on: WatchThread(inotify, retries: RetryThread(firstPause: .milliseconds(1))))
            #expect(owner.problem == FileError(.watch, folder + "/file", .tooManyOpenFiles))
            inotify.fail("mount", with: nil)
            try await eventually("the problem is known") {
                owner.problem == FileError(.watch, folder + "/file", .changesUnseen(fileSystem: "nfs4"))
            }
        }
    }

    @Test("A path that could not be followed for lack of permission is watched when it can be, and the owner is told to read")
    func permittedLater() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/hidden/file", fault = "watch \(folder)/hidden", operations = HiddenFolder()
            try makeFolder(folder + "/hidden")
            let inotify = FaultyInotify(failing: [fault: .accessDenied])
            let owner = WatchingOwner(path, on: WatchThread(inotify, retries: RetryThread(firstPause: .milliseconds(1))), operations)
            #expect(owner.problem == FileError(.examine, path, .accessDenied))
            try write("unseen", byRenamingOver: path)
            inotify.fail(fault, with: nil)
            operations.isHidden.withLock { $0 = false }
            try await eventually("the watch begins, and what it missed is read") { owner.problem == nil && owner.text == "unseen" }
            try write("seen", byRenamingOver: path)
            try await eventually("the text") { owner.text == "seen" }
        }
    }

    @Test("An attempt that asks for another gets it, after twice the time; one that does not is the last")
    func retryThread() async throws {
        let retries = RetryThread(firstPause: .milliseconds(1))
        let attempts = Counter()
        @Sendable func attempt() {
            if attempts.next() < 6 { retries.request(attempt) }
        }
        let time = try await elapsed {
            retries.request(attempt)
            try await eventually("the last attempt") { attempts.value == 6 }
        }
        #expect(time >= .milliseconds(1 + 2 + 4 + 8 + 16 + 32))
    }

    @Test("However many try again, they take a few threads, and some that hang hold up none of the others")
    func retryThreads() async throws {
        let mayEnd = DispatchSemaphore(value: 0)
        let attempts = Guarded<[pthread_t]>([])
        let hanging = (0..<3).map { _ in RetryThread(firstPause: .milliseconds(1)) }
        for retries in hanging { retries.request { mayEnd.wait() } }
        let others = (0..<200).map { _ in RetryThread(firstPause: .milliseconds(50)) }
        for retries in others { retries.request { attempts.withLock { $0.append(pthread_self()) } } }
        try await eventually("each is tried") { attempts.withLock { $0.count } == 200 }
        // One that has nothing to do ends, and then there is another.
        #expect(Set(attempts.withLock { $0 }).count < 50)
        for _ in hanging { mayEnd.signal() }
    }

    @Test("A problem that comes later is reported")
    func laterProblem() async throws {
        try await withTemporaryFolder { folder in
            let inotify = FaultyInotify()
            let owner = WatchingOwner(folder + "/a/file", on: WatchThread(inotify))
            #expect(owner.problem == nil)
            inotify.fail("watch \(folder)/a", with: .noSpace)
            try makeFolder(folder + "/a")
            try await eventually("the problem") { owner.events.last == .uncertain }
            #expect(owner.problem == FileError(.watch, folder + "/a", .noSpace))
        }
    }

    @Test("A folder on the way that may be entered but not read is watched from above")
    func unreadableFolder() async throws {
        try await withTemporaryFolder { folder in
            try makeFolder(folder + "/a/b/c")
            let inotify = FaultyInotify(failing: ["watch \(folder)/a/b": .accessDenied])
            let owner = WatchingOwner(folder + "/a/b/c/file", on: WatchThread(inotify))
            #expect(owner.problem == nil)
            try makeFolder(folder + "/new/c")
            try write("one", byRenamingOver: folder + "/new/c/file")
            try operations.rename(folder + "/a/b", to: folder + "/old")
            try operations.rename(folder + "/new", to: folder + "/a/b")
            try await eventually("the text") { owner.text == "one" }
        }
    }

    @Test("A root folder that may be entered but not read is no problem: nothing can replace it")
    func unreadableRoot() async throws {
        try await withTemporaryFolder { folder in
            let owner = WatchingOwner(folder + "/file", on: WatchThread(FaultyInotify(failing: ["watch /": .accessDenied])))
            #expect(owner.problem == nil)
            try write("one", byRenamingOver: folder + "/file")
            try await eventually("the text") { owner.text == "one" }
        }
    }

    @Test("A file's own folder that may not be read is a problem", arguments: ["a", "a/b"])
    func unreadableTargetFolder(withParents unreadable: String) throws {
        try withTemporaryFolder { folder in
            try makeFolder(folder + "/a/b")
            let inotify = FaultyInotify(failing: ["watch \(folder)/a/b": .accessDenied])
            if unreadable == "a" { inotify.fail("watch \(folder)/a", with: .accessDenied) }
            let owner = WatchingOwner(folder + "/a/b/file", on: WatchThread(inotify))
            #expect(owner.problem?.code == .accessDenied)
            #expect("\(try #require(owner.problem))".contains("must be readable to be watched"))
        }
    }

    @Test("When the instance breaks, every watch reports it and has a problem")
    func broken() async throws {
        try await withTemporaryFolder { folder in
            let inotify = FaultyInotify()
            let thread = WatchThread(inotify)
            let owners = ["one", "two"].map { WatchingOwner("\(folder)/\($0)", on: thread) }
            inotify.fail("read", with: .ioFailed)
            try write("", byRenamingOver: folder + "/one")
            try await eventually("the news") { owners.allSatisfy { $0.events == [.uncertain] } }
            for (owner, name) in zip(owners, ["one", "two"]) {
                #expect(owner.problem == FileError(.watch, "\(folder)/\(name)", .ioFailed))
            }
            inotify.fail("read", with: nil)
            let later = WatchingOwner(folder + "/one", on: thread)
            try write("text", byRenamingOver: folder + "/one")
            try await eventually("the text") { later.text == "text" }
        }
    }

    @Test("A file system on which others' changes are not seen is a problem, also where only a link lies on it")
    func hiddenChanges() async throws {
        try await withTemporaryFolder { folder in
            try makeFolder(folder + "/a")
            try makeFolder(folder + "/b")
            try link(folder + "/a/link", to: "../b/file")
            let inotify = FaultyInotify()
            let thread = WatchThread(inotify)
            inotify.pretend("nfs4", at: folder + "/a")
            let linked = WatchingOwner(folder + "/a/link", on: thread)
            #expect(linked.problem?.reason == .changesUnseen(fileSystem: "nfs4"))
            let beside = WatchingOwner(folder + "/b/file", on: thread)
            #expect(beside.problem == nil)
            // What this machine changes is seen nevertheless.
            try write("one", byRenamingOver: folder + "/b/file")
            try await eventually("the text") { linked.text == "one" }
        }
    }
}

/// A folder that this process may not enter, as long as it is hidden. (For root there is no such folder.)
// Sound: what changes is guarded.
private final class HiddenFolder: FileOperations, @unchecked Sendable {
    let isHidden = Guarded(true)

    override func hasNoLinks(_ path: String) -> Bool { !isHidden.withLock { $0 } && super.hasNoLinks(path) }

    override func readLink(_ path: String) throws(SystemErrorCode) -> String {
        guard !path.hasSuffix("/hidden/file") || !isHidden.withLock({ $0 }) else { throw .accessDenied }
        return try super.readLink(path)
    }
}

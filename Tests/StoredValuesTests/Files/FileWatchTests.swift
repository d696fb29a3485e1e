import Foundation
import StoredValuesSupport
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

@Suite("FileWatch", .hangLimit)
struct FileWatchTests {
    private let files = FileManager.default
}

extension FileWatchTests {
    private func write(_ text: String, inPlaceOf path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    /// As editors do, and as this package does.
    private func write(_ text: String, byRenamingOver path: String) throws {
        try write(text, inPlaceOf: path + ".new")
        try FileOperations.posix.rename(path + ".new", to: path)
    }

    private func makeFolder(_ path: String) throws {
        try files.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    private func link(_ path: String, to target: String) throws {
        try files.createSymbolicLink(atPath: path, withDestinationPath: target)
    }

    /// Turns a link at one instant.
    private func turn(_ path: String, to target: String) throws {
        try link(path + ".new", to: target)
        try FileOperations.posix.rename(path + ".new", to: path)
    }

    // MARK: The file

    @Test("A file renamed over the old one is whole at once")
    func renamedOver() async throws {
        try await withTemporaryFolder { folder in
            try write("one", inPlaceOf: folder + "/file")
            let owner = WatchingOwner(folder + "/file")
            try write("two", byRenamingOver: folder + "/file")
            try await eventually("the new text") { owner.text == "two" }
            #expect(owner.events == [.replaced])
        }
    }

    @Test("A file written in place is being written until its writer closes it")
    func writtenInPlace() async throws {
        try await withTemporaryFolder { folder in
            try write("one", inPlaceOf: folder + "/file")
            let owner = WatchingOwner(folder + "/file")
            // Not by Foundation, which lets children of ours have the file: it is not closed then before they have ended, too.
            let writer = try #require(fopen(folder + "/file", "r+e"))
            fputs("t", writer)
            fflush(writer)
            try await eventually("the first write") { owner.events.last == .beingWritten }
            #expect(owner.text == "one")
            fputs("wo", writer)
            fclose(writer)
            try await eventually("the new text") { owner.text == "two" }
            #expect(owner.events.last == .replaced)
        }
    }

    @Test("A file that is deleted is detected, and so is its return")
    func deleted() async throws {
        try await withTemporaryFolder { folder in
            try write("one", inPlaceOf: folder + "/file")
            let owner = WatchingOwner(folder + "/file")
            try files.removeItem(atPath: folder + "/file")
            try await eventually("its end") { owner.events == [.removed] && owner.text == nil }
            try write("two", inPlaceOf: folder + "/file")
            try await eventually("its return") { owner.text == "two" }
        }
    }

    @Test("A file that is moved away is distinguished from one that is deleted")
    func movedAway() async throws {
        try await withTemporaryFolder { folder in
            try write("one", inPlaceOf: folder + "/file")
            let owner = WatchingOwner(folder + "/file")
            try files.moveItem(atPath: folder + "/file", toPath: folder + "/file~")
            try await eventually("its end") { owner.events == [.movedAway] }
        }
    }

    @Test("Other files in the folder are not reported, whatever their names")
    func otherFiles() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/café"
            try write("one", inPlaceOf: path)
            let owner = WatchingOwner(path)
            // The last is the same text in other letters, and another file.
            for name in [".café.stored-values.tmp", "café.lock", "caf", "other", "cafe\u{301}"] {
                try write("1", inPlaceOf: folder + "/" + name)
                try write("2", byRenamingOver: folder + "/" + name)
                try files.removeItem(atPath: folder + "/" + name)
            }
            try makeFolder(folder + "/sub")
            try write("two", byRenamingOver: path)
            try await eventually("the new text") { owner.text == "two" }
            #expect(owner.events == [.replaced])
        }
    }

    @Test("A burst of writes ends with the last of them", arguments: [false, true])
    func burst(renaming: Bool) async throws {
        try await withTemporaryFolder { folder in
            let owner = WatchingOwner(folder + "/file")
            for number in 1...1000 {
                if renaming {
                    try write("\(number)", byRenamingOver: folder + "/file")
                } else {
                    try write("\(number)", inPlaceOf: folder + "/file")
                }
            }
            try await eventually("the last text") { owner.text == "1000" }
        }
    }

    // MARK: The way

    @Test("A file is detected when it is created with its missing folders", arguments: 0...4)
    func firstTime(missingFolders: Int) async throws {
        try await withTemporaryFolder { folder in
            let home = folder + String(repeating: "/sub", count: missingFolders)
            let owner = WatchingOwner(home + "/file")
            #expect(owner.problem == nil)
            try makeFolder(home)
            try write("one", inPlaceOf: home + "/file")
            try await eventually("the text") { owner.text == "one" }
            try write("two", byRenamingOver: home + "/file")
            try await eventually("the next text") { owner.text == "two" }
        }
    }

    @Test("Folders that are made and removed again are followed")
    func comingAndGoing() async throws {
        try await withTemporaryFolder { folder in
            let owner = WatchingOwner(folder + "/a/b/file")
            for number in 1...50 {
                try makeFolder(folder + "/a/b")
                try write("\(number)", inPlaceOf: folder + "/a/b/file")
                try await eventually("text \(number)") { owner.text == "\(number)" }
                try files.removeItem(atPath: folder + "/a")
                try await eventually("its end") { owner.text == nil }
            }
        }
    }

    @Test("A folder that comes and goes while its owner is being told of an earlier end is reported again")
    func comingAndGoingMeanwhile() async throws {
        try await withTemporaryFolder { folder in
            try makeFolder(folder + "/a")
            try write("one", inPlaceOf: folder + "/a/file")
            let calls = Counter()
            let owner = WatchingOwner(folder + "/a/file") { event in
                guard event == .movedAway, calls.next() == 1 else { return }
                // What the owner reads at this moment is of a folder that the watch has not seen, and will not see.
                try? makeFolder(folder + "/a")
                try? write("two", inPlaceOf: folder + "/a/file")
                try? files.removeItem(atPath: folder + "/a")
            }
            try files.removeItem(atPath: folder + "/a")
            try await eventually("the second end") { calls.value >= 2 }
            #expect(owner.text == nil)
        }
    }

    @Test("A swapped folder is followed, anywhere on the path", arguments: ["a", "a/b", "a/b/c"])
    func exchangedFolder(_ exchanged: String) async throws {
        try await withTemporaryFolder { folder in
            try makeFolder(folder + "/a/b/c")
            try write("one", inPlaceOf: folder + "/a/b/c/file")
            let owner = WatchingOwner(folder + "/a/b/c/file")
            try files.copyItem(atPath: folder + "/" + exchanged, toPath: folder + "/copy")
            let rest = "a/b/c/file".dropFirst(exchanged.count)
            try write("two", inPlaceOf: folder + "/copy" + rest)
            try files.moveItem(atPath: folder + "/" + exchanged, toPath: folder + "/old")
            try files.moveItem(atPath: folder + "/copy", toPath: folder + "/" + exchanged)
            try await eventually("the other folder's text") { owner.text == "two" }
            let before = owner.events.count
            try write("x", inPlaceOf: folder + "/old" + rest)
            try write("three", byRenamingOver: folder + "/a/b/c/file")
            try await eventually("its next text") { owner.text == "three" }
            #expect(owner.events.count >= before + 1)
        }
    }

    @Test("A folder that is removed while a program has it open, and created again, is followed")
    func removedWhileOpen() async throws {
        try await withTemporaryFolder { folder in
            try makeFolder(folder + "/a")
            try write("one", inPlaceOf: folder + "/a/file")
            let owner = WatchingOwner(folder + "/a/file")
            // As a shell does that stands there. The folder's own end is told when it is closed, and not before.
            let operations = FileOperations.posix
            let held = try operations.open(folder + "/a", for: .folder)
            defer { operations.close(held) }
            try files.removeItem(atPath: folder + "/a/file")
            try await eventually("the file's end") { owner.text == nil }
            try files.removeItem(atPath: folder + "/a")
            try makeFolder(folder + "/a")
            try write("two", inPlaceOf: folder + "/a/file")
            try await eventually("the new text") { owner.text == "two" }
        }
    }

    @Test("A retargeted symlink is followed, and its former target is no longer watched")
    func turnedLink() async throws {
        try await withTemporaryFolder { folder in
            for name in ["one", "two"] {
                try makeFolder(folder + "/" + name)
                try write(name, inPlaceOf: folder + "/\(name)/file")
            }
            try makeFolder(folder + "/home")
            try link(folder + "/home/link", to: "../one/file")
            let owner = WatchingOwner(folder + "/home/link")
            #expect(owner.text == "one")
            try turn(folder + "/home/link", to: "../two/file")
            try await eventually("the other file's text") { owner.text == "two" }
            let events = owner.events
            try write("x", byRenamingOver: folder + "/one/file")
            try write("three", byRenamingOver: folder + "/two/file")
            try await eventually("its next text") { owner.text == "three" }
            #expect(owner.events == events + [.replaced])
        }
    }

    @Test("A link in the middle of the path may be turned, as a ConfigMap's is")
    func linkOnTheWay() async throws {
        try await withTemporaryFolder { folder in
            for name in ["one", "two"] {
                try makeFolder(folder + "/mount/" + name)
                try write(name, inPlaceOf: folder + "/mount/\(name)/file")
            }
            try link(folder + "/mount/..data", to: "one")
            try link(folder + "/mount/file", to: "..data/file")
            let owner = WatchingOwner(folder + "/mount/file")
            #expect(owner.text == "one")
            try turn(folder + "/mount/..data", to: "two")
            try files.removeItem(atPath: folder + "/mount/one")
            try await eventually("the other file's text") { owner.text == "two" }
            try files.removeItem(atPath: folder + "/mount/..data")
            try await eventually("the broken link") { owner.text == nil }
            try link(folder + "/mount/..data", to: "two")
            try await eventually("the mended link") { owner.text == "two" }
        }
    }

    @Test("A file that becomes a link is followed, and a link that becomes a file")
    func fileAndLink() async throws {
        try await withTemporaryFolder { folder in
            try makeFolder(folder + "/dotfiles")
            try write("one", inPlaceOf: folder + "/file")
            let owner = WatchingOwner(folder + "/file")
            try files.moveItem(atPath: folder + "/file", toPath: folder + "/dotfiles/file")
            try link(folder + "/file", to: "dotfiles/file")
            try await eventually("the link") { owner.events.last == .uncertain }
            try write("two", byRenamingOver: folder + "/dotfiles/file")
            try await eventually("the linked file's text") { owner.text == "two" }
            try write("three", byRenamingOver: folder + "/file")
            try await eventually("the file's text") { owner.text == "three" }
        }
    }

    @Test("A path with .. leads where the system leads it")
    func dots() async throws {
        try await withTemporaryFolder { folder in
            try makeFolder(folder + "/a/b")
            try link(folder + "/link", to: "a/b")
            let owner = WatchingOwner(folder + "/link/../././file")
            #expect(owner.problem == nil)
            try write("one", inPlaceOf: folder + "/a/file")
            try await eventually("the text") { owner.text == "one" }
        }
    }

    // MARK: What is in the way

    @Test("A cycle of links is a problem until it is repaired")
    func circle() async throws {
        try await withTemporaryFolder { folder in
            try link(folder + "/one", to: "two")
            try link(folder + "/two", to: "one")
            let owner = WatchingOwner(folder + "/one")
            #expect(owner.problem?.reason == .tooManyLinks)
            try write("mended", inPlaceOf: folder + "/three")
            try turn(folder + "/two", to: "three")
            try await eventually("the text") { owner.text == "mended" }
            #expect(owner.problem == nil)
        }
    }

    @Test("A file where a folder is needed is a problem that goes with it")
    func fileOnTheWay() async throws {
        try await withTemporaryFolder { folder in
            try write("", inPlaceOf: folder + "/a")
            let owner = WatchingOwner(folder + "/a/b/file")
            #expect(owner.problem?.code == .notFolder)
            try files.removeItem(atPath: folder + "/a")
            try makeFolder(folder + "/a/b")
            try write("one", inPlaceOf: folder + "/a/b/file")
            try await eventually("the text") { owner.text == "one" }
            #expect(owner.problem == nil)
        }
    }

    // MARK: Owners

    @Test("Two watches of one file both hear, by whatever path, and one continues when the other ends")
    func twoWatches() async throws {
        try await withTemporaryFolder { folder in
            try makeFolder(folder + "/a")
            try link(folder + "/link", to: "a")
            let thread = WatchThread(Inotify()), first = WatchingOwner(folder + "/a/file", on: thread)
            let second = WatchingOwner(folder + "/link/file", on: thread)
            try write("one", inPlaceOf: folder + "/a/file")
            try await eventually("the text") { first.text == "one" && second.text == "one" }
            first.dropWatch()
            let events = first.events
            try write("two", byRenamingOver: folder + "/a/file")
            try await eventually("the next text") { second.text == "two" }
            #expect(first.events == events)
        }
    }

    @Test("A watch that was released reports nothing more")
    func ended() async throws {
        try await withTemporaryFolder { folder in
            let calls = Guarded(0), thread = WatchThread(Inotify())
            var watch: FileWatch? = FileWatch(DurableFile(path: folder + "/file"), on: thread) { _ in calls.withLock { $0 += 1 } }
            #expect(watch?.problem == nil)
            watch = nil
            let other = WatchingOwner(folder + "/file", on: thread)
            try write("one", inPlaceOf: folder + "/file")
            try await eventually("the other's text") { other.text == "one" }
            #expect(calls.withLock { $0 } == 0)
        }
    }

    @Test("A handler may make watches and end them, the last reference to its own too")
    func insideHandler() async throws {
        try await withTemporaryFolder { folder in
            let own = Guarded<FileWatch?>(nil)
            let inner = Guarded<WatchingOwner?>(nil)
            let calls = Guarded(0), thread = WatchThread(Inotify())
            func begin() {
                let watch = FileWatch(DurableFile(path: folder + "/file"), on: thread) { _ in
                    calls.withLock { $0 += 1 }
                    let another = WatchingOwner(folder + "/other", on: thread)
                    inner.withLock { $0 = another }
                    let last = own.withLock { own in
                        defer { own = nil }
                        return own
                    }
                    withExtendedLifetime(last) {}
                }
                own.withLock { $0 = watch }
            }
            begin()
            try write("one", byRenamingOver: folder + "/file")
            try await eventually("the call") { inner.withLock { $0 } != nil }
            try write("two", byRenamingOver: folder + "/file")
            try write("one", byRenamingOver: folder + "/other")
            try await eventually("the inner watch's text") { inner.withLock { $0 }?.text == "one" }
            #expect(calls.withLock { $0 } == 1)
        }
    }

    @Test("A handler and what it captures go with the watch, other watches too")
    func released() throws {
        final class Captured: Sendable {
            let another: FileWatch
            init(_ another: FileWatch) { self.another = another }
        }
        try withTemporaryFolder { folder in
            let file = DurableFile(path: folder + "/file")
            var captured: Captured? = Captured(FileWatch(file) { _ in })
            weak let weakly = captured
            var watch: FileWatch? = FileWatch(file) { [captured] _ in _ = captured }
            captured = nil
            #expect(watch != nil && weakly != nil)
            watch = nil
            #expect(weakly == nil)
        }
    }
}

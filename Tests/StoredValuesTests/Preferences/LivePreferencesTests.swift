import Foundation
import Observation
import StoredValuesSupport
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

@Suite("Live preferences", .hangLimit)
struct LivePreferencesTests {}

extension LivePreferencesTests {
    /// A way in which somebody else brings `text` to the file at `path`, which holds something already.
    enum Writer: String, CaseIterable, CustomTestStringConvertible {
        case otherProcess = "another process with this library"
        case sed = "sed -i"
        case renaming = "an editor that writes a new file and renames it"
        case backingUp = "an editor that renames the old file to a backup and writes a new one"
        case inPlace = "an editor that writes in place"
        case inSteps = "an editor that writes in place, in many steps"
        case folder = "exchanging the whole folder"

        var testDescription: String { rawValue }

        /// Not by Foundation, which lets children of ours have the file: it is not closed then before they have ended, too (seen: ten
        /// minutes later).
        private func writeInPlace(_ text: String, to path: String) throws {
            let file = try #require(fopen(path, "we"))
            fputs(text, file)
            fclose(file)
        }

        func write(_ number: Int, to path: String) async throws {
            let text = #"{"number": \#(number), "twin": \#(number)}"#
            let folder = (path as NSString).deletingLastPathComponent
            switch self {
            case .otherProcess:
                let storage = PreferencesFile.ofAnotherProcess(path)
                storage.batch {
                    StoredValue(key: "number", default: 0, storage: storage).set(number)
                    StoredValue(key: "twin", default: 0, storage: storage).set(number)
                }
            case .sed:
                let sed = try #require(Program(named: "sed"))
                let result = try await sed.run(["-i", "s/: [0-9]*/: \(number)/g", path], environment: [:])
                #expect(result.status == 0)
            case .renaming:
                try text.write(toFile: folder + "/.new", atomically: false, encoding: .utf8)
                #expect(rename(folder + "/.new", path) == 0)
            case .backingUp:
                #expect(rename(path, path + "~") == 0)
                try writeInPlace(text, to: path)
            case .inPlace: try writeInPlace(text, to: path)
            case .inSteps:
                let file = try #require(fopen(path, "we"))
                for byte in text.utf8 {
                    fputc(Int32(byte), file)
                    fflush(file)
                    await Task.yield()
                }
                fclose(file)
            case .folder:
                try FileManager.default.createDirectory(atPath: folder + "-new", withIntermediateDirectories: true)
                let name = (path as NSString).lastPathComponent
                try text.write(toFile: "\(folder)-new/\(name)", atomically: false, encoding: .utf8)
                #expect(rename(folder, "\(folder)-old-\(number)") == 0)
                #expect(rename(folder + "-new", folder) == 0)
            }
        }
    }

    @Test("A change by another process reaches memory, streams and observers", arguments: Writer.allCases)
    func arrives(writer: Writer) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/app/preferences.json"
            try FileManager.default.createDirectory(atPath: folder + "/app", withIntermediateDirectories: true)
            try #"{"number": 0, "twin": 0}"#.write(toFile: path, atomically: false, encoding: .utf8)
            // However slow this machine makes a writer.
            let storage = PreferencesFile.ofAnotherProcess(path, patience: hangLimit)
            let value = StoredValue(key: "number", default: -1, storage: storage)
            let seen = Seen(value)
            try await eventually("the first value") { seen.values == [0] }
            await offPool { storage.store.queues.watching.sync {} }  // its first look, which has no patience
            for number in 1...3 {
                try await writer.write(number, to: path)
                try await eventually("\(number) in memory") { value.wrappedValue == number }
                try await eventually("\(number) in the stream") { seen.values.last == number }
                try await eventually("\(number) observed") { seen.observed == number }
            }
            #expect(seen.values == [0, 1, 2, 3], "no default, no old value and nothing half-written in between")
        }
    }

    @Test("Deleting the file uncovers the defaults, and a new one counts again")
    func deleting() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let value = StoredValue(key: "number", default: -1, storage: PreferencesFile(path: path))
            value.set(1)
            let seen = Seen(value)
            try FileManager.default.removeItem(atPath: path)
            try await eventually("the default") { seen.values.last == -1 && !value.isStored }
            try #"{"number": 2}"#.write(toFile: path, atomically: false, encoding: .utf8)
            try await eventually("the new value") { seen.values.last == 2 }
            try removeFolderInUse(folder)
            try await eventually("the default, the folder gone") { seen.values.last == -1 }
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try #"{"number": 3}"#.write(toFile: path, atomically: false, encoding: .utf8)
            try await eventually("the value in the new folder") { seen.values.last == 3 }
        }
    }

    @Test("A file that appears with all its folders is seen")
    func firstTime() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/home/.config/app/preferences.json"
            let value = StoredValue(key: "number", default: -1, storage: PreferencesFile(path: path))
            let seen = Seen(value)
            try await eventually("the default") { seen.values == [-1] }
            try FileManager.default.createDirectory(atPath: folder + "/home/.config/app", withIntermediateDirectories: true)
            try #"{"number": 1}"#.write(toFile: path, atomically: false, encoding: .utf8)
            try await eventually("the value") { seen.values.last == 1 }
        }
    }

    @Test("Behind a symbolic link the real file counts, and another one when the link is turned")
    func link() async throws {
        try await withTemporaryFolder { folder in
            for (name, number) in [("one", 1), ("two", 2)] {
                try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
                try #"{"number": \#(number)}"#.write(toFile: "\(folder)/\(name)/p.json", atomically: false, encoding: .utf8)
            }
            // As in a ConfigMap mount: p.json -> ..data/p.json, ..data -> one.
            try FileManager.default.createSymbolicLink(atPath: folder + "/..data", withDestinationPath: "one")
            try FileManager.default.createSymbolicLink(atPath: folder + "/p.json", withDestinationPath: "..data/p.json")
            let value = StoredValue(key: "number", default: -1, storage: PreferencesFile(path: folder + "/p.json"))
            let seen = Seen(value)
            try await eventually("the first") { seen.values == [1] }
            try #"{"number": 10}"#.write(toFile: folder + "/one/p.json", atomically: false, encoding: .utf8)
            try await eventually("a change of the target") { seen.values.last == 10 }
            try FileManager.default.createSymbolicLink(atPath: folder + "/..data_tmp", withDestinationPath: "two")
            #expect(rename(folder + "/..data_tmp", folder + "/..data") == 0)
            try await eventually("the link turned") { seen.values.last == 2 }
            value.set(3)
            #expect(try contents(ofFile: folder + "/two/p.json").contains("3"))
            #expect(try contents(ofFile: folder + "/one/p.json").contains("10"))
        }
    }

    @Test("A thousand writes in a row end at the last value")
    func burst() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let value = StoredValue(key: "number", default: -1, storage: PreferencesFile(path: path))
            let seen = Seen(value)
            try await eventually("the default") { seen.values == [-1] }
            await offPool {
                let other = StoredValue(key: "number", default: -1, storage: .ofAnotherProcess(path))
                for number in 1...1000 { other.set(number) }
            }
            try await eventually("the last value") { seen.values.last == 1000 && value.wrappedValue == 1000 }
            #expect(seen.values == seen.values.sorted(), "never back to an older one")
        }
    }

    @Test("Half a file is never taken for a whole one while patience lasts; what the writer leaves counts")
    func halfWritten() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try #"{"number": 1}"#.write(toFile: path, atomically: false, encoding: .utf8)
            let storage = PreferencesFile.ofAnotherProcess(path, patience: hangLimit)
            let seen = Seen(StoredValue(key: "number", default: -1, storage: storage))
            try await eventually("the first value") { seen.values == [1] }
            await offPool { storage.store.queues.watching.sync {} }  // its first look, which has no patience
            // Text that parses at a moment when it is not yet what the writer means: the old number's first digits.
            let file = try #require(fopen(path, "r+e"))
            fputs(#"{"number": 7}"#, file)
            fflush(file)
            let isTruncated = ftruncate(fileno(file), 13) == 0
            #expect(isTruncated)
            fseek(file, 0, SEEK_SET)
            fputs(#"{"number": 8}"#, file)
            fclose(file)
            try await eventually("what the writer leaves") { seen.values.last == 8 }
            #expect(seen.values == [1, 8])
        }
    }

    @Test("A broken file leaves the last good values in use until it is repaired")
    func broken() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let storage = PreferencesFile(path: path)
            let value = StoredValue(key: "number", default: -1, storage: storage)
            value.set(1)
            let seen = Seen(value)
            try await eventually("the first value") { seen.values == [1] }
            try #"{"number": 2"#.write(toFile: path, atomically: false, encoding: .utf8)
            try await eventually("it is said") { storage.store.state.withLock { $0.disk.brokenIdentity != nil } }
            try #"{"number": 3}"#.write(toFile: path, atomically: false, encoding: .utf8)
            try await eventually("the mended file") { seen.values.last == 3 }
            #expect(seen.values == [1, 3])
        }
    }

    @Test("A write that changes nothing yields nothing, however it is spelled")
    func sameValue() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let value = StoredValue(key: "list", default: [Int](), storage: PreferencesFile(path: path))
            let mark = StoredValue(key: "mark", default: 0, storage: PreferencesFile(path: path))
            value.set([1, 2])
            let seen = Seen(value)
            try await eventually("the first value") { seen.values == [[1, 2]] }
            let changes = Guarded(0)
            withObservationTracking {
                _ = value.wrappedValue
            } onChange: {
                changes.withLock { $0 += 1 }
            }
            try #"{"list":[ 1,2 ],"mark":1}"#.write(toFile: path, atomically: false, encoding: .utf8)
            try await eventually("the file is read") { mark.wrappedValue == 1 }
            #expect(seen.values == [[1, 2]])
            #expect(changes.withLock { $0 } == 0)
        }
    }

    @Test("What others write is no change where it reads as before: the default, however it is spelled, and its removal")
    func defaultByOthers() async throws {
        struct Size: Codable, Equatable {
            var width = 14.0
            var name: String? = nil
        }
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let storage = PreferencesFile(path: path)
            let size = StoredValue(key: "size", default: Size(), storage: storage), mark = StoredValue(key: "mark", default: 0, storage: storage)
            let clamped = StoredValue(key: "count", default: 5, validate: { min($0, 5) }, storage: storage)
            let seen = Seen(size), seenCounts = Seen(clamped)
            try await eventually("the first values") { seen.values == [Size()] && seenCounts.values == [5] }
            let texts = [
                #"{"size": {"width":14.0}, "count": 5}"#, #"{"count": 7}"#, #"{"size": {"name":null, "width":1.4e1}}"#,
                #"{"size": {"extra": 1, "width": 14}, "count": 6}"#, #"{"size": {"width": "x"}, "count": "\ud800"}"#, "{}",
            ]
            for (number, text) in texts.enumerated() {
                try #"{"mark": \#(number + 1), \#(text.dropFirst())"#.replacing(", }", with: "}")
                    .write(toFile: path, atomically: false, encoding: .utf8)
                try await eventually("the file is read") { mark.wrappedValue == number + 1 }
            }
            size.set(Size())
            clamped.set(9)
            #expect(size.isStored)
            size.set(Size(width: 15))
            clamped.set(4)
            try await eventually("what differs") { seen.values.last == Size(width: 15) && seenCounts.values.last == 4 }
            #expect(seen.values == [Size(), Size(width: 15)])
            #expect(seenCounts.values == [5, 4])
        }
    }

    @Test("Strings that only look alike are different values")
    func lookalikes() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let name = StoredValue(key: "name", default: "e\u{301}", storage: PreferencesFile(path: path))
            let seen = Seen(name)
            try await eventually("the first value") { seen.values.count == 1 }
            for (count, text) in ["\u{E9}", "e\u{301}", "\u{E9}"].enumerated() {
                try "{\"name\": \"\(text)\"}".write(toFile: path, atomically: false, encoding: .utf8)
                try await eventually("the other spelling") { seen.values.count == count + 2 }
                #expect(seen.values.last?.utf8.elementsEqual(text.utf8) == true)
            }
        }
    }

    @Test("What is unsaved here lies over what others write")
    func unsaved() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let operations = FaultyFileOperations(failing: ["rename": .noSpace])
            let storage = PreferencesFile.ofAnotherProcess(path, operations: operations)
            let mine = StoredValue(key: "mine", default: 0, storage: storage), theirs = StoredValue(key: "theirs", default: 0, storage: storage)
            mine.set(1)
            try #"{"mine": 5, "theirs": 5}"#.write(toFile: path, atomically: false, encoding: .utf8)
            try await eventually("the other's key") { theirs.wrappedValue == 5 }
            #expect(mine.wrappedValue == 1)
        }
    }

    @Test("System-wide defaults are live, too")
    func layers() async throws {
        try await withTemporaryFolder { folder in
            let storage = PreferencesFile.ofAnotherProcess(folder + "/user.json")
            storage.store.addLayers([folder + "/etc/first.json", folder + "/etc/second.json"])
            let value = StoredValue(key: "number", default: -1, storage: storage)
            let seen = Seen(value)
            try FileManager.default.createDirectory(atPath: folder + "/etc", withIntermediateDirectories: true)
            try #"{"number": 2}"#.write(toFile: folder + "/etc/second.json", atomically: false, encoding: .utf8)
            try await eventually("the second layer") { seen.values.last == 2 }
            try #"{"number": 1}"#.write(toFile: folder + "/etc/first.json", atomically: false, encoding: .utf8)
            try await eventually("the first layer") { seen.values.last == 1 }
            value.set(0)
            try #"{"number": 7}"#.write(toFile: folder + "/etc/first.json", atomically: false, encoding: .utf8)
            try FileManager.default.removeItem(atPath: folder + "/etc/second.json")
            value.reset()
            try await eventually("the first layer, uncovered") { seen.values.last == 7 }
            try FileManager.default.removeItem(atPath: folder + "/etc")
            try await eventually("the default") { seen.values.last == -1 }
        }
    }
}

/// What a stream and an observer of a value have seen.
private final class Seen<Item: StorableItem>: Sendable {
    private let state = Guarded<(values: [Item], observed: Item?)>(([], nil))
    private let task = Guarded<Task<Void, Never>?>(nil)

    init(_ value: StoredValue<Item>) {
        let task = Task { [weak self] in
            for await item in value.values { self?.state.withLock { $0.values.append(item) } }
        }
        self.task.withLock { $0 = task }
        observe(value)
    }

    deinit { task.withLock { $0 }?.cancel() }

    var values: [Item] { state.withLock { $0.values } }
    var observed: Item? { state.withLock { $0.observed } }

    private func observe(_ value: StoredValue<Item>) {
        let item = withObservationTracking {
            value.wrappedValue
        } onChange: { [weak self] in
            // Told after the change, so the new value can be read here.
            self?.observe(value)
        }
        state.withLock { $0.observed = item }
    }
}

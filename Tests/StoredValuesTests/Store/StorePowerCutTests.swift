#if Store
    import Foundation
    import StoredValues
    import StoredValuesSupport
    import Testing

    @testable import StoredValuesStore

    /// What a process did to the files of a store, as `Tests/Programs/record_disk.c` records it.
    private enum DiskRecord {
        case made(String)
        case wrote(String, at: Int, [UInt8])
        case cut(String, to: Int)
        case removed(String)
        case synced(String)
        case syncedFolder(String)
        /// The process told of this state.
        case promised(Int)

        static func all(in data: Data) throws -> [DiskRecord] {
            var records: [DiskRecord] = []
            var rest = [UInt8](data)[...]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let fields = String(decoding: rest[..<end], as: UTF8.self).split(separator: " ").map(String.init)
                let (place, count) = (try #require(Int(fields[2])), try #require(Int(fields[3])))
                let bytes = Array(rest[(end + 1)..<(end + 1 + count)])
                rest = rest[(end + 1 + count)...]
                switch fields[0] {
                case "O": records.append(.made(fields[1]))
                case "W": records.append(.wrote(fields[1], at: place, bytes))
                case "T": records.append(.cut(fields[1], to: place))
                case "U": records.append(.removed(fields[1]))
                case "S": records.append(.synced(fields[1]))
                case "D": records.append(.syncedFolder(fields[1]))
                case "P": records.append(.promised(Int(String(decoding: bytes.dropLast(), as: UTF8.self)) ?? -1))  // -1: no state of the story
                default: Issue.record("the store calls what the model does not know: \(fields)")
                }
            }
            return records
        }
    }

    /// A disk whose files are written in place. Of what no fsync covers, a power cut leaves any part: a write wholly, its first half, or not
    /// at all. What is not written stays as it is.
    private struct DiskModel {
        private struct File {
            var durable: [UInt8] = []
            var pending: [DiskRecord] = []
            /// Whether its name is in the folder, and whether that is on the disk.
            var isThere = true
            var isThereOnDisk = false
        }

        private var files: [String: File] = [:]
        private(set) var promised = 0

        mutating func apply(_ record: DiskRecord) {
            switch record {
            case .made(let path): files[path, default: File()].isThere = true
            case .removed(let path): files[path]?.isThere = false
            case .wrote(let path, _, _), .cut(let path, _): files[path]?.pending.append(record)
            case .synced(let path):
                guard var file = files[path] else { return }
                for record in file.pending { Self.change(&file.durable, record, upTo: 1) }
                file.pending = []
                files[path] = file
            case .syncedFolder(let folder):
                for (path, file) in files where path.hasPrefix(folder + "/") { files[path]?.isThereOnDisk = file.isThere }
            case .promised(let state): promised = state
            }
        }

        private static func change(_ bytes: inout [UInt8], _ record: DiskRecord, upTo part: Double) {
            func resize(_ size: Int) {
                if size < bytes.count { bytes.removeLast(bytes.count - size) } else { bytes += Array(repeating: 0, count: size - bytes.count) }
            }
            switch record {
            case .cut(_, let size): resize(size)
            case .wrote(_, let place, let new):
                let count = Int(Double(new.count) * part)
                if place + count > bytes.count { resize(place + count) }
                bytes.replaceSubrange(place..<(place + count), with: new[..<count])
            default: break
            }
        }

        /// What may be on the disk now.
        func survivors(using generator: inout SeededGenerator) -> [String: [UInt8]] {
            var found: [String: [UInt8]] = [:]
            for (path, file) in files.sorted(by: { $0.key < $1.key }) where file.isThere == file.isThereOnDisk ? file.isThere : Bool.random(using: &generator) {
                var bytes = file.durable
                let kind = Int.random(in: 0..<4, using: &generator)  // nothing, all, the first few, or any of them
                let first = Int.random(in: 0...file.pending.count, using: &generator)
                for (index, record) in file.pending.enumerated() {
                    let parts: [Double] = [0, 1, index < first ? 1 : 0, Double(Int.random(in: 0...2, using: &generator)) / 2]
                    let part = parts[kind]
                    if part > 0 { Self.change(&bytes, record, upTo: part) }
                }
                found[path] = bytes
            }
            return found
        }
    }

    @Suite("A store after a power cut", .heavy, .hangLimit)
    struct StorePowerCutTests {
        private let processes = TestProcesses()
    }

    extension StorePowerCutTests {
        /// The items after each change of `store-story`.
        private static let states: [[Note]] = {
            func many(_ numbers: Range<Int>) -> [Note] { numbers.map { Note("n\($0)", String(repeating: "x", count: 200)) } }
            return [
                [], [Note("a")], [Note("a"), Note("b")], [Note("a"), Note("b")] + many(0..<60), [Note("b")] + many(0..<60) + [Note("c")],
                [Note("b")] + many(0..<10) + [Note("c")], [Note("b", count: 7)] + many(0..<10) + [Note("c")],
            ]
        }()

        @Test("has every change whose call had returned, whole, at any instant")
        func anyInstant() async throws {
            let (losses, count) = try await losses { _ in true }
            #expect(count > 100)  // which states there are is chance; some 500
            #expect(losses == [])
        }

        @Test("would not without one of the syncs", arguments: ["of the database", "of the journal", "of the folder"])
        func omission(_ omitted: String) async throws {
            let (losses, _) = try await losses(untilFirst: true) { record in
                switch record {
                case .synced(let path): omitted != (path.hasSuffix("-journal") ? "of the journal" : "of the database")
                case .syncedFolder: omitted != "of the folder"
                default: true
                }
            }
            #expect(losses != [])
        }

        /// Opens what a power cut may leave after each of the records that `isKept` accepts; returns what is wrong, and the number of states.
        private func losses(untilFirst: Bool = false, _ isKept: @escaping @Sendable (DiskRecord) -> Bool) async throws -> ([String], count: Int) {
            let seed = SeededGenerator.printedSeed(for: "StorePowerCutTests")
            return try await withTemporaryFolder { folder in
                let records = try await record(folder).filter(isKept)
                #expect(records.count > 50)
                return try await offPool {
                    Result { try Self.losses(records, "\(folder)/cut", SeededGenerator(seed: seed), untilFirst: untilFirst) }
                }.get()
            }
        }

        private static func losses(
            _ records: [DiskRecord], _ folder: String, _ generator: SeededGenerator, untilFirst: Bool
        ) throws -> ([String], count: Int) {
            var (model, generator) = (DiskModel(), generator)
            var (losses, count) = ([String](), 0)
            var seen: Set<[String: [UInt8]]> = []
            for (number, record) in records.enumerated() where losses.isEmpty || !untilFirst {
                model.apply(record)
                if case .promised = record { seen = [] }  // the same files may be too old now
                for variant in 0..<12 {
                    let files = model.survivors(using: &generator)
                    guard seen.insert(files).inserted else { continue }
                    count += 1
                    let state = "\(folder)/\(number)-\(variant)"
                    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
                    for (path, bytes) in files {
                        try Data(bytes).write(to: URL(fileURLWithPath: "\(state)/\(path.split(separator: "/").last ?? "")"))
                    }
                    let (items, status) = read("\(state)/s.sqlite")
                    let allowed = states[model.promised...min(model.promised + 1, states.count - 1)]
                    if status != .loaded || !allowed.contains(items) { losses.append("after \(model.promised): \(status), \(items.count) items") }
                }
            }
            return (losses, count)
        }

        private static func read(_ path: String) -> ([Note], StoreStatus) {
            let store = Store<Note>.ofAnotherProcess(path)
            return (store.items, store.status)
        }

        /// What the story does to the disk.
        private func record(_ folder: String) async throws -> [DiskRecord] {
            let log = "\(folder)/log"
            let environment = try await DiskRecorder(in: folder, processes).environment("\(folder)/disk", ["RECORD_FILE": log])
            let story = try processes.start("store-story", "\(folder)/disk/s.sqlite", environment: environment)
            #expect(try await story.lines() == (1..<Self.states.count).map { "\($0)" })
            return try DiskRecord.all(in: Data(contentsOf: URL(fileURLWithPath: log)))
        }
    }

    /// `record_disk.c`, compiled.
    private struct DiskRecorder {
        let library: String

        init(in folder: String, _ processes: TestProcesses) async throws {
            library = try await processes.library("record_disk.c", in: folder)
        }

        /// Of a process, between which and the files in this folder it stands.
        func environment(_ folder: String, _ more: [String: String]) -> [String: String] {
            let own = ["LD_PRELOAD": library, "RECORD_FOLDER": folder]
            return ProcessInfo.processInfo.environment.merging(own) { $1 }.merging(more) { $1 }
        }
    }

    @Suite("A store whose disk refuses one sync", .hangLimit)
    struct StoreDiskErrorTests {
        private let processes = TestProcesses()

        @Test("has in memory what the file has, keeps what it has acknowledged, and goes on")
        func oneSync() async throws {
            try await withTemporaryFolder { folder in
                let recorder = try await DiskRecorder(in: folder, processes), log = "\(folder)/log"
                #expect(try await refusals(recorder.environment("\(folder)/0", ["RECORD_FILE": log]), "\(folder)/0/s.sqlite") == 0)
                let syncs = try DiskRecord.all(in: Data(contentsOf: URL(fileURLWithPath: log))).count { record in
                    switch record {
                    case .synced, .syncedFolder: true
                    default: false
                    }
                }
                #expect(syncs > 8)
                var refused = 0
                for sync in 1...syncs {
                    let environment = recorder.environment("\(folder)/\(sync)", ["FAILING_SYNC": "\(sync)"])
                    refused += try await refusals(environment, "\(folder)/\(sync)/s.sqlite")
                }
                #expect(refused > 4)  // not each counts: SQLite goes on where that of the folder fails
            }
        }

        /// Inserts four notes, and returns how many insertions threw.
        private func refusals(_ environment: [String: String], _ path: String) async throws -> Int {
            let process = try processes.start("store-insert-in-spite-of-errors", path, "4", environment: environment)
            let lines = try await process.lines()
            try #require(lines.count == 12, "\(lines)")
            var known: [String] = [], refused = 0
            for number in 0..<4 {
                let (answer, memory, file) = (lines[3 * number], lines[3 * number + 1], lines[3 * number + 2])
                #expect(memory == file, "\(path): \(answer)")
                let with = (known + ["\(number)"]).joined(separator: ","), without = known.joined(separator: ",")
                if answer != "inserted" { refused += 1 }
                #expect(file == with || answer != "inserted" && file == without, "\(path): \(answer)")
                known = file.split(separator: ",").map(String.init)
            }
            #expect(Store<Note>.ofAnotherProcess(path).ids == known)
            return refused
        }
    }
#endif

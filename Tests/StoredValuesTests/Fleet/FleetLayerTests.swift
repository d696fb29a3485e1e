import Foundation
import Logging
import Observation
import StoredValuesSupport
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

@Suite("A fleet's settings as a layer", .hangLimit)
struct FleetLayerTests {}

extension FleetLayerTests {
    @Test("The own file over the fleet over the system-wide defaults over the code; reset uncovers one after the other")
    func order() async throws {
        try await withFleetFiles { files in
            try files.mirror(["a": 2, "b": 2])
            try #"{"a": 3, "b": 3, "c": 3}"#.write(toFile: "\(files.folder.path)-system.json", atomically: false, encoding: .utf8)
            let file = files.open()
            func value(_ key: String) -> StoredValue<Int> { StoredValue(key: key, default: 4, storage: file) }
            let a = value("a")
            a.set(1)
            #expect(["a", "b", "c", "d"].map { value($0).wrappedValue } == [1, 2, 3, 4])
            #expect(["a", "b", "c", "d"].map { value($0).source } == [.file, .fleet, .system, .code])
            var values = a.values.makeAsyncIterator()
            #expect(await values.next(isolation: nil) == 1)
            a.reset()
            #expect(a.value == 2 && a.source == .fleet && !a.isStored)
            #expect(await values.next(isolation: nil) == 2)
            try files.mirror([:], revision: 2)
            #expect(await values.next(isolation: nil) == 3)
            #expect(a.source == .system)
            try files.mirror(["a": 5], revision: 3)
            #expect(await values.next(isolation: nil) == 5)
            try FileManager.default.removeItem(atPath: files.mirror)
            #expect(await values.next(isolation: nil) == 3)
            #expect(try !contents(ofFile: file.path).contains("a"))
        }
    }

    @Test("The fleet lies above the system-wide defaults, whichever was added first")
    func addedLate() async throws {
        try await withFleetFiles { files in
            try files.mirror(["a": 2])
            try #"{"a": 3}"#.write(toFile: "\(files.folder.path)-system.json", atomically: false, encoding: .utf8)
            let file = PreferencesFile.ofAnotherProcess("\(files.folder.path)-own.json")
            let a = StoredValue(key: "a", default: 4, storage: file)
            file.store.addLayers(["\(files.folder.path)-system.json"])
            #expect(a.value == 3)
            file.store.addLayers([files.mirror], of: .fleet, onTop: true)
            #expect(a.value == 2 && a.source == .fleet)
        }
    }

    @Test("What another process puts there arrives in streams and observers, in the folder that nobody had made")
    func live() async throws {
        try await withFleetFiles { files in
            let number = StoredValue(key: "number", default: -1, storage: files.open())
            var numbers = number.values.makeAsyncIterator()
            #expect(await numbers.next(isolation: nil) == -1)
            // The TestProcess writes as the agent does: the file is replaced.
            let processes = TestProcesses()
            let agent = try processes.start("talk", files.mirror)
            for next in [5, 6] {
                let isTold = Guarded(false)
                withObservationTracking {
                    _ = number.value
                } onChange: {
                    isTold.withLock { $0 = true }
                }
                #expect(try await agent.ask("set number \(next)") == "ok")
                #expect(await numbers.next(isolation: nil) == next)
                #expect(number.value == next && number.source == .fleet)
                try await eventually("the observer is told") { isTold.withLock { $0 } }
                #expect(try await agent.ask("flush") == "flushed")
            }
            withExtendedLifetime(processes) {}
        }
    }

    @Test("After 200 replacements a reader that streams ends at the last one, and nothing comes twice or goes back")
    func replacements() async throws {
        try await withFleetFiles { files in
            let number = StoredValue(key: "number", default: 0, storage: files.open())
            let seen = Collector(number.values)
            for next in 1...200 { try files.mirror(["number": JSONValue(1000 + next)], revision: next) }
            try await seen.wait(untilLast: 1200)
            #expect(seen.elements == seen.elements.sorted() && Set(seen.elements).count == seen.elements.count)
            #expect(number.value == 1200)
        }
    }

    @Test("A mirror that breaks, or is replaced by something else, keeps the last good values, and one that is whole again is read")
    func broken() async throws {
        try await withFleetFiles { files in
            try files.mirror(["number": 1])
            let file = files.open()
            let number = StoredValue(key: "number", default: 0, storage: file)
            for next in 2...3 {
                try DurableFile(path: files.mirror).withLock { _ = try $0.replace(with: Array("{ broken".utf8), durably: true) }
                file.store.refreshLayers()
                #expect(number.value == next - 1 && number.source == .fleet)
                // A folder, at one stroke: between two there would be nothing, which uncovers the code's default.
                #expect(symlink("/", files.mirror + ".new") == 0 && rename(files.mirror + ".new", files.mirror) == 0)
                file.store.refreshLayers()
                #expect(number.value == next - 1 && number.source == .fleet)
                try FileManager.default.removeItem(atPath: files.mirror)
                try files.mirror(["number": JSONValue(next)])
                try await eventually("the new value") { number.value == next }
            }
        }
    }

    @Test("A broken mirror is logged as the fleet's, with what to do")
    func log() async throws {
        try await withFleetFiles { files in
            let path = files.folder.path
            try FileManager.default.createDirectory(atPath: path + "/demo", withIntermediateDirectories: true)
            try "{ broken".write(toFile: files.mirror, atomically: false, encoding: .utf8)
            await #expect(processExitsWith: .success) { [path = path as String] in
                setenv("STORED_VALUES_FLEET", path, 1)
                setenv("XDG_CONFIG_HOME", path + "/home", 1)
                LoggingSystem.bootstrap { _ in RecordingLogHandler() }
                StorageSystem.bootstrap(applicationID: "demo")
                #expect(StoredValue(key: "a", default: 1).wrappedValue == 1)
                let lines = RecordingLogHandler.takeLines()
                #expect(lines.count == 1 && lines[0].hasPrefix("Could not read the fleet's settings \"\(path)/demo/preferences.json\"; "))
                #expect(lines[0].hasSuffix("Restart the agent, which rewrites the file."), "\(lines)")
            }
        }
    }

    private struct Window: VersionedItem, Equatable {
        static let version = 2
        static func migrate(_ json: inout JSONValue, from version: Int) { json["width"] = JSONValue((json["width"]?.intValue ?? 0) * 10) }
        var width = 800
    }

    @Test("A value of an older version is migrated, and one of a newer version is left alone: the last good value stays")
    func versions() async throws {
        try await withFleetFiles { files in
            let file = files.open()
            let window = StoredValue(key: "window", default: Window(), storage: file)
            var windows = window.values.makeAsyncIterator()
            #expect(await windows.next(isolation: nil) == Window())
            try files.mirror(["window": ["width": 50]], versions: ["window": 1])
            #expect(await windows.next(isolation: nil) == Window(width: 500))
            try files.mirror(["window": ["width": 60]], versions: ["window": 2], revision: 2)
            #expect(await windows.next(isolation: nil) == Window(width: 60))
            try files.mirror(["window": ["size": 7]], versions: ["window": 3], revision: 3)
            try await eventually("it is known to be newer") { !window.repairs.isEmpty }
            #expect(window.value == Window(width: 60) && window.source == .fleet)
            #expect(try FleetMirror(parsing: Array(contents(ofFile: files.mirror).utf8)).values["window"]?.version == 3)
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }
    }

    @Test("Where there is no mirror, one failed call is paid for it, at any depth, and then none until something happens")
    func cost() async throws {
        try await withFleetFiles { files in
            let operations = FaultyFileOperations()
            var layer = PreferencesLayer(DurableFile(path: files.mirror, operations: operations), .fleet)
            for reads in 1...2 {
                let isRead = try layer.read()
                #expect(!isRead && operations.count == reads && operations.calls == [], "only a look at the path")
            }
            let file = PreferencesFile.ofAnotherProcess("\(files.folder.path)-own.json")
            file.store.state.withLock { $0.members.add([layer], onTop: true) }
            let number = StoredValue(key: "number", default: 4, storage: file)
            for _ in 1...100 { #expect(number.wrappedValue == 4) }
            #expect(operations.count == 2)
            file.store.refreshLayers()  // as the watch does when something happens
            #expect(operations.count == 3 && operations.calls == [])
        }
    }

    @Test("The mirror that was read stays pinned: no replacement gets its inode, and so none looks like it within one tick of the clock")
    func pinned() async throws {
        try await withFleetFiles { files in
            var layer = PreferencesLayer(DurableFile(path: files.mirror), .fleet)
            for number in 100..<150 {
                try files.mirror(["a": JSONValue(number)])
                #expect(try layer.read() && !layer.read())
                // Without the pin ext4 gives the inode to every other one.
                for next in 1...4 {
                    try files.mirror(["a": JSONValue(number + next)])
                    #expect(try layer.file.currentIdentity()?.inode != layer.identity?.inode)
                }
                #expect(try layer.read() && layer.document["a"] == Array("\(number + 4)".utf8))
                #expect(try layer.digest == FleetFolder.digest(of: Array(contents(ofFile: files.mirror).utf8)))
            }
        }
    }

    @Test("The program's standard file has the mirror that the environment names, made late in a volume of Kubernetes, and no other file has")
    func program() async throws {
        try await withTemporaryFolder { folder in
            _ = await #expect(processExitsWith: .success) { [folder = folder as String] in
                setenv("STORED_VALUES_FLEET", folder + "/fleet", 1)
                setenv("XDG_CONFIG_HOME", folder + "/home", 1)
                setenv("XDG_CONFIG_DIRS", folder + "/etc", 1)
                unsetenv("STORED_VALUES_PREFERENCES")
                StorageSystem.bootstrap(applicationID: "demo")
                let limit = StoredValue(key: "limit", default: 0)
                var limits = limit.values.makeAsyncIterator()
                #expect(await limits.next(isolation: nil) == 0)

                let volume = try KubernetesVolume(folder + "/fleet/demo")
                func update(_ limit: Int) throws {
                    let mirror = FleetMirror(origin: .init(cluster: "c", revision: limit), values: ["limit": .init(json: JSONValue(limit), version: 0)])
                    let report = FleetReport(state: .current(revision: limit), confirmed: .now)
                    try volume.update([
                        "preferences.json": String(decoding: mirror.bytes, as: UTF8.self), "status.json": String(decoding: report.bytes, as: UTF8.self),
                    ])
                }
                for number in 1...20 {
                    try update(number)
                    #expect(await limits.next(isolation: nil) == number)
                    #expect(limit.value == number && limit.source == .fleet)
                }
                try await eventually("it is current") {
                    try update(21)
                    return PreferencesFile.standard.fleetStatus == .current(revision: 21) && limit.value == 21
                }

                for other in [PreferencesFile.named("editor"), PreferencesFile(path: folder + "/p.json"), .inMemory()] {
                    #expect(StoredValue(key: "limit", default: 0, storage: other).wrappedValue == 0)
                    #expect(other.fleetStatus == .none)
                }
                withTemporaryStorage {
                    #expect(StoredValue(key: "limit", default: 0).wrappedValue == 0)
                    #expect(PreferencesFile.standard.fleetStatus == .none)
                }
            }
        }
    }

    @Test("It lies below the file that the program names as its standard one, by a path or by a name", arguments: ["path", "name"])
    func replaced(by kind: String) async throws {
        try await withFleetFiles { files in
            try files.mirror(["limit": 200])
            let path = files.folder.path
            await #expect(processExitsWith: .success) { [path = path as String, kind = kind as String] in
                setenv("STORED_VALUES_FLEET", path, 1)
                setenv("XDG_CONFIG_HOME", path + "/home", 1)
                StorageSystem.bootstrap(
                    applicationID: "demo", preferences: kind == "path" ? PreferencesFile(path: path + "/p.json") : .named("editor"))
                let limit = StoredValue(key: "limit", default: 0)
                #expect(limit.value == 200 && limit.source == .fleet)
                #expect(StoredValue(key: "limit", default: 0, storage: .named("other")).wrappedValue == 0)
            }
        }
    }
}

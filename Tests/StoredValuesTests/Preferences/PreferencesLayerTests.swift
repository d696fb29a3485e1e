import Foundation
import Logging
import StoredValuesSupport
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

@Suite("System-wide defaults", .hangLimit)
struct PreferencesLayerTests {}

extension PreferencesLayerTests {
    /// A file `user.json` over `first.json` and `second.json`, with what they hold.
    private func open(_ folder: String, user: String? = nil, first: String? = nil, second: String? = nil) throws -> PreferencesFile {
        for (name, text) in [("user", user), ("first", first), ("second", second)] {
            try text?.write(toFile: "\(folder)/\(name).json", atomically: false, encoding: .utf8)
        }
        let storage = PreferencesFile.ofAnotherProcess(folder + "/user.json")
        storage.store.addLayers([folder + "/first.json", folder + "/second.json"])
        return storage
    }

    @Test("The user's file overrides the layers, an earlier layer a later one, and all the default")
    func order() throws {
        try withTemporaryFolder { folder in
            let storage = try open(
                folder, user: #"{"a": 1}"#, first: #"{"a": 2, "b": 2}"#, second: #"{"a": 3, "b": 3, "c": 3}"#)
            let values = ["a", "b", "c", "d"].map { StoredValue(key: $0, default: 4, storage: storage) }
            #expect(values.map(\.wrappedValue) == [1, 2, 3, 4])
            #expect(values.map(\.isStored) == [true, false, false, false])
            #expect(storage.keys == ["a"])
        }
    }

    @Test("reset uncovers the layer below, and set covers it, even with the value it has")
    func uncovering() async throws {
        try await withTemporaryFolder { folder in
            let storage = try open(folder, user: #"{"a": 1}"#, first: #"{"a": 2}"#)
            let value = StoredValue(key: "a", default: 0, storage: storage)
            var values = value.values.makeAsyncIterator()
            #expect(await values.next(isolation: nil) == 1)
            value.reset()
            #expect(await values.next(isolation: nil) == 2)
            #expect(value.wrappedValue == 2 && !value.isStored)
            value.set(2)
            #expect(value.wrappedValue == 2 && value.isStored)
            value.update { $0 += 1 }
            #expect(await values.next(isolation: nil) == 3, "setting what a layer says anyway is no news")
        }
    }

    @Test(
        "What a removal uncovers and is broken reads as the default: the removed value is no last good one",
        arguments: ["reset", "resetAll", "batch", "delete", "by another program"], [true, false])
    func uncoveringBroken(_ removal: String, isKept: Bool) async throws {
        try await withTemporaryFolder { folder in
            let storage = try open(folder, user: #"{"limit": 7}"#, first: #"{"limit": "abc"}"#)
            func limit() -> StoredValue<Int> { StoredValue(key: "limit", default: 60, storage: storage) }
            let kept = isKept ? limit() : nil
            #expect(limit().value == 7)
            switch removal {
            case "reset": limit().reset()
            case "resetAll": storage.resetAll()
            case "batch":
                storage.batch {
                    limit().reset()
                    #expect(limit().value == 60)
                }
            case "delete": try await storage.delete()
            default:
                try writeFinished(Array("{}".utf8), to: folder + "/user.json")
                storage.reload()
            }
            #expect(limit().value == 60)
            #expect(limit().repairs.map(\.action) == [.usedDefault])
            withExtendedLifetime(kept) {}
        }
    }

    @Test("A change in place starts from the layer's value and is written to the user's file; layers are never written")
    func updating() throws {
        try withTemporaryFolder { folder in
            let storage = try open(folder, first: #"{"a": [1]}"#)
            StoredValue(key: "a", default: [0], storage: storage).append(2)
            let text = try contents(ofFile: folder + "/user.json")
            #expect(text.contains("2"))
            #expect((StoredValue(key: "a", default: [0], storage: storage).wrappedValue) == [1, 2] as [Int])
            #expect(try contents(ofFile: folder + "/first.json") == #"{"a": [1]}"#)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(names.filter { $0.hasPrefix("first") } == ["first.json"])
        }
    }

    @Test("Replacing what a layer's list does not have writes nothing; replacing what it has writes the user's file")
    func replacing() throws {
        try withTemporaryFolder { folder in
            let names = StoredValue(key: "names", default: [""], storage: try open(folder, first: #"{"names": ["Ada"]}"#))
            names.replace("Eve", with: "Grace")
            #expect(names.wrappedValue == ["Ada"] && !names.isStored)
            #expect(!FileManager.default.fileExists(atPath: folder + "/user.json"))
            names.replace("Ada", with: "Grace")
            #expect(names.wrappedValue == ["Grace"] && names.isStored)
        }
    }

    @Test("A null in a layer is a nil; a layer that does not parse is left out")
    func nullAndBroken() throws {
        try withTemporaryFolder { folder in
            let storage = try open(folder, first: "{ broken", second: #"{"a": null}"#)
            let value = StoredValue<Int?>(key: "a", default: 7, storage: storage)
            #expect(value.wrappedValue == .none)
            #expect(!value.isStored)
            #expect(try contents(ofFile: folder + "/first.json") == "{ broken")
        }
    }

    @Test("A former key in the user's file moves, although a layer has the new one")
    func formerKeys() throws {
        try withTemporaryFolder { folder in
            let storage = try open(folder, user: #"{"old": 1}"#, first: #"{"new": 2}"#)
            let value = StoredValue(key: "new", default: 0, formerKeys: ["old"], storage: storage)
            #expect(value.wrappedValue == 1)
            #expect(storage.keys == ["new"])
        }
    }

    @Test("The application's files have layers in XDG_CONFIG_DIRS, in its order; relative folders do not count")
    func locations() async throws {
        try await withTemporaryFolder { folder in
            for (name, text) in [("one", #"{"a": 1}"#), ("two", #"{"a": 2, "b": 2}"#)] {
                try FileManager.default.createDirectory(atPath: "\(folder)/\(name)/com.example.App", withIntermediateDirectories: true)
                try text.write(toFile: "\(folder)/\(name)/com.example.App/preferences.json", atomically: false, encoding: .utf8)
                try text.write(toFile: "\(folder)/\(name)/com.example.App/editor.json", atomically: false, encoding: .utf8)
            }
            await #expect(processExitsWith: .success) { [folder = folder as String] in
                setenv("XDG_CONFIG_DIRS", "elsewhere:\(folder)/one::\(folder)/two", 1)
                setenv("XDG_CONFIG_HOME", folder + "/home", 1)
                StorageSystem.bootstrap(applicationID: "com.example.App")
                for storage in [PreferencesFile.standard, .named("editor")] {
                    #expect(StoredValue(key: "a", default: 0, storage: storage).wrappedValue == 1)
                    #expect(StoredValue(key: "b", default: 0, storage: storage).wrappedValue == 2)
                }
                StoredValue(key: "a", default: 0).set(3)
                #expect(StoredValue(key: "a", default: 0, storage: PreferencesFile(path: folder + "/home/com.example.App/preferences.json")).wrappedValue == 3)
            }
        }
    }

    @Test("A layer that could not be read because no descriptor was left is read once there are some")
    func readLater() async throws {
        try await withTemporaryFolder { folder in
            try writeFinished(Array(#"{"a": 1}"#.utf8), to: folder + "/first.json")
            try writeFinished(Array(#"{"a": 2}"#.utf8), to: folder + "/new.json")
            await #expect(processExitsWith: .success) { [folder = folder as String] in
                let preferences = PreferencesFile(path: folder + "/user.json").store
                preferences.addLayers([folder + "/first.json"])
                let value = StoredValue(key: "a", default: 0, storage: PreferencesFile(preferences))
                #expect(value.wrappedValue == 1)
                try await withoutDescriptors {
                    try #require(rename(folder + "/new.json", folder + "/first.json") == 0)
                    // As the watch does, which is told of no other change.
                    preferences.refreshLayers()
                    #expect(value.wrappedValue == 1)
                }
                try await eventually("the layer is read") { value.wrappedValue == 2 }
            }
        }
    }

    @Test("Layers whose changes are not seen are read again by flush(), and the log names the layer")
    func unseenChanges() async throws {
        try await withTemporaryFolder { folder in
            try writeFinished(Array(#"{"a": 1}"#.utf8), to: folder + "/layer.json")
            try writeFinished(Array(#"{"a": 2}"#.utf8), to: folder + "/new.json")
            await #expect(processExitsWith: .success) { [folder = folder as String] in
                LoggingSystem.bootstrap { _ in RecordingLogHandler() }
                let storage = PreferencesFile(path: folder + "/user.json")
                // Whose status looks unchanged until it is opened.
                let operations = RemoteFileOperations(at: folder + "/layer.json")
                let layer = DurableFile(path: folder + "/layer.json", operations: operations), inotify = FaultyInotify()
                inotify.pretend("nfs4", at: folder)
                let watch = FileWatch(layer, on: WatchThread(inotify)) { _ in }
                storage.store.queues.watching.sync {}  // it has its own watch
                storage.store.state.withLock { state in
                    state.members.add([PreferencesLayer(layer, .systemWide)], onTop: false)
                    state.watches = [(layer, watch)]
                }
                storage.store.refreshLayers()
                let value = StoredValue(key: "a", default: 0, storage: storage)
                try #require(value.wrappedValue == 1)
                try #require(rename(folder + "/new.json", folder + "/layer.json") == 0)
                // It reads layers for at most 5 s.
                try await eventually("a flush has read the layer") {
                    try await storage.flush()
                    return value.wrappedValue == 2
                }
                let lines = RecordingLogHandler.takeLines()
                try #require(lines.count == 1 && lines[0].contains("\"\(folder)/layer.json\" are seen only at the next flush()."), "\(lines)")
            }
        }
    }

    @Test("What is wrong with a layer is logged once, however often it and the file are read and written, and again once it was whole")
    func troubleOfLayer() async throws {
        try await withTemporaryFolder { folder in
            let layer = folder + "/layer.json"
            try writeFinished(Array("{ broken".utf8), to: layer)
            await #expect(processExitsWith: .success) { [folder = folder as String, layer = layer as String] in
                LoggingSystem.bootstrap { _ in RecordingLogHandler() }
                let storage = PreferencesFile(path: folder + "/user.json")
                storage.store.addLayers([layer])
                let value = StoredValue(key: "a", default: 0, storage: storage)
                try #require(RecordingLogHandler.takeLines().count == 1)
                func replace(_ path: String, with text: String) throws {
                    try writeFinished(Array(text.utf8), to: folder + "/new.json")
                    try #require(rename(folder + "/new.json", path) == 0)
                    storage.reload()
                }
                value.set(1)
                storage.store.refreshLayers()
                try replace(folder + "/user.json", with: #"{"a": 2}"#)
                try #require(value.wrappedValue == 2 && RecordingLogHandler.takeLines() == [])
                try replace(layer, with: "{}")
                try replace(layer, with: "{ broken")
                storage.store.refreshLayers()
                storage.store.report { $0.note("something else") }
                var lines: [String] = []
                try await eventually("both are logged, if only by the watch, which may have taken them") {
                    lines += RecordingLogHandler.takeLines()
                    return lines.count >= 2
                }
                try #require(lines.count == 2)
            }
        }
    }

    @Test("A layer that does not parse makes one log line, before the first value is there")
    func brokenLayerIsLogged() async throws {
        try await withTemporaryFolder { folder in
            try FileManager.default.createDirectory(atPath: "\(folder)/one/com.example.App", withIntermediateDirectories: true)
            try "{ broken".write(toFile: "\(folder)/one/com.example.App/preferences.json", atomically: false, encoding: .utf8)
            await #expect(processExitsWith: .success) { [folder = folder as String] in
                setenv("XDG_CONFIG_DIRS", "\(folder)/one", 1)
                setenv("XDG_CONFIG_HOME", folder + "/home", 1)
                LoggingSystem.bootstrap { _ in RecordingLogHandler() }
                StorageSystem.bootstrap(applicationID: "com.example.App")
                #expect(StoredValue(key: "a", default: 1).wrappedValue == 1)
                let lines = RecordingLogHandler.takeLines()
                #expect(lines.count == 1 && lines[0].contains("/one/com.example.App/preferences.json"))
            }
        }
    }
}

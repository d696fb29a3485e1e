import Foundation
import Observation
import StoredValues
import StoredValuesSupport
import Testing

enum Theme: String, Codable { case light, dark, blue }

struct UserPreferences: Codable, Equatable, Sendable {
    var fontSize = 12
    var fontName = "Mono"
}

@Suite("StoredValue")
struct StoredValueTests {}

extension StoredValueTests {
    struct InStruct {
        @StoredValue var theme: Theme
        init(_ storage: PreferencesFile) { _theme = StoredValue(wrappedValue: .light, key: "theme", storage: storage) }
    }
    final class InClass {
        @StoredValue var theme: Theme
        init(_ storage: PreferencesFile) { _theme = StoredValue(wrappedValue: .light, key: "theme", storage: storage) }
    }
    actor InActor {
        @StoredValue var theme: Theme
        init(_ storage: PreferencesFile) { _theme = StoredValue(wrappedValue: .light, key: "theme", storage: storage) }
        func change() -> Theme {
            $theme.set(.dark)
            return theme
        }
    }
    @MainActor final class OnMainActor {
        @StoredValue var theme: Theme
        init(_ storage: PreferencesFile) { _theme = StoredValue(wrappedValue: .light, key: "theme", storage: storage) }
        func change() -> Theme {
            $theme.set(.blue)
            return theme
        }
    }
    @MainActor @Observable final class Model {
        @ObservationIgnored @StoredValue var theme: Theme
        init(_ storage: PreferencesFile) { _theme = StoredValue(wrappedValue: .light, key: "theme", storage: storage) }
    }
    final class AsLet: Sendable {
        let theme: StoredValue<Theme>
        init(_ storage: PreferencesFile) { theme = StoredValue(key: "theme", default: .light, storage: storage) }
    }

    @Test("A wrapper in a struct, a class, an actor, on the main actor, in an observable class and as a let are one value")
    @MainActor func places() async throws {
        try await withTemporaryFolder { folder in
            let storage = PreferencesFile(path: folder + "/preferences.json")
            let inStruct = InStruct(storage), inClass = InClass(storage), editor = InActor(storage)
            let onMainActor = OnMainActor(storage), model = Model(storage), asLet = AsLet(storage)
            @MainActor func all() async -> [Theme] {
                let inActor = await editor.theme
                return [inStruct.theme, inClass.theme, inActor, onMainActor.theme, model.theme, asLet.theme.wrappedValue]
            }
            #expect(await all() == Array(repeating: .light, count: 6))
            #expect(await editor.change() == .dark)
            #expect(await all() == Array(repeating: .dark, count: 6))
            #expect(onMainActor.change() == .blue)
            #expect(await all() == Array(repeating: .blue, count: 6))
            inStruct.$theme.reset()
            #expect(await all() == Array(repeating: .light, count: 6))
        }
    }

    @Test("Observers of a wrapper in an observable class are notified, although the class itself ignores it")
    @MainActor func observableClass() throws {
        try withTemporaryFolder { folder in
            let storage = PreferencesFile(path: folder + "/preferences.json")
            let model = Model(storage)
            let seen = Guarded<[Theme]>([])
            let theme = model.$theme
            withObservationTracking {
                _ = model.theme
            } onChange: {
                seen.withLock { $0.append(theme.wrappedValue) }
            }
            StoredValue(key: "theme", default: Theme.light, storage: storage).set(.dark)
            #expect(seen.withLock { $0 } == [.dark])
        }
    }

    @Test("One file is one set of values, however its path is spelled")
    func spellings() throws {
        try withTemporaryFolder { folder in
            try FileManager.default.createDirectory(atPath: folder + "/real", withIntermediateDirectories: false)
            try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: folder + "/real")
            let paths = ["/real/p.json", "/link/p.json", "/real/../real/./p.json", "//real//p.json"]
            let values = paths.map { StoredValue(key: "a", default: 0, storage: PreferencesFile(path: folder + $0)) }
            for (number, value) in values.enumerated() {
                value.set(number + 1)
                #expect(values.map(\.wrappedValue) == Array(repeating: number + 1, count: paths.count))
            }
        }
    }

    @Test("Every change does what its name says")
    func changes() throws {
        try withTemporaryFolder { folder in
            let storage = PreferencesFile(path: folder + "/preferences.json")
            @StoredValue(key: "autosave", storage: storage) var autosave = true
            @StoredValue(key: "preferences", storage: storage) var preferences = UserPreferences()
            @StoredValue(key: "list", storage: storage) var list = ["a", "b", "a"]
            @StoredValue(key: "counts", storage: storage) var counts: [String: Int] = [:]
            $autosave.toggle()
            #expect(!autosave)
            $preferences.set(\.fontSize, to: 14)
            $preferences.update { $0.fontSize += 1 }
            #expect(preferences == UserPreferences(fontSize: 15))
            #expect($preferences.update { value in value.fontName.count } == 4)
            $list.append("c")
            $list.replace("a", with: "x")
            #expect(list == ["x", "b", "x", "c"])
            $list.togglePresence("x")
            #expect(list == ["b", "c"])
            $list.togglePresence("x")
            #expect(list == ["b", "c", "x"])
            $counts.update(key: "one", value: 1)
            $counts.update(key: "two", value: 2)
            $counts.update(key: "one", value: nil)
            #expect(counts == ["two": 2])
            #expect(storage.keys == ["autosave", "counts", "list", "preferences"])
        }
    }

    @Test("Replacing what a list does not have leaves the file as it is, with a value of another type, too")
    func replacedNothing() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json", text = #"{"names": "Ada, Eve"}"#
            try writeFinished(Array(text.utf8), to: path)
            StoredValue(key: "names", default: ["Ada"], storage: PreferencesFile(path: path)).replace("Eve", with: "Grace")
            #expect(try contents(ofFile: path) == text)
        }
    }

    @Test("What is for lists is for every collection that can grow")
    func collections() {
        withTemporaryStorage {
            @StoredValue(key: "name") var name = "abc"
            @StoredValue(key: "bytes") var bytes = Data([1, 2, 1])
            @StoredValue(key: "numbers") var numbers = ContiguousArray([1, 2, 1])
            $name.append("d")
            $name.replace("a", with: "x")
            $name.togglePresence("b")
            $bytes.append(3)
            $bytes.replace(1, with: 4)
            $bytes.togglePresence(2)
            $numbers.append(3)
            $numbers.togglePresence(1)
            $numbers.togglePresence(1)
            #expect(name == "xcd" && bytes == Data([4, 4, 3]) && numbers == [2, 3, 1])
        }
    }

    @Test("An element of a set is toggled, and nobody need use what an update returns")
    func sets() {
        withTemporaryStorage {
            @StoredValue(key: "tags") var tags: Set<String> = ["a", "b"]
            $tags.update { $0.insert("c") }
            $tags.togglePresence("a")
            $tags.togglePresence("d")
            #expect(tags == ["b", "c", "d"])
        }
    }

    @Test("A description has the key and the file, and is no use of the file: the application may still name itself")
    func description() async {
        let inMemory = StoredValue(key: "n", default: 7, storage: .inMemory())
        #expect("\(inMemory)" == #"StoredValue(key: "n", file: "(in memory)")"#)
        await #expect(processExitsWith: .success) {
            let value = StoredValue(key: "n", default: 7)
            try #require("\(value)" == #"StoredValue(key: "n", file: "preferences")"#)
            StorageSystem.bootstrap(applicationID: "com.example.Editor")  // traps after the first use
        }
    }

    @Test("A stored nil is a value: it is not absent, and not the default")
    func storedNil() throws {
        try withTemporaryFolder { folder in
            let storage = PreferencesFile(path: folder + "/preferences.json")
            @StoredValue(key: "lastOpened", storage: storage) var lastOpened: Date? = nil
            let other = StoredValue<Date?>(key: "lastOpened", default: .distantPast, storage: storage)
            #expect(!$lastOpened.isStored && lastOpened == nil && other.wrappedValue == .distantPast)
            $lastOpened.set(nil)
            #expect($lastOpened.isStored && other.isStored && other.wrappedValue == nil)
            let written = try contents(ofFile: folder + "/preferences.json")
            #expect(written == "{\n  \"lastOpened\": null\n}\n")
            other.reset()
            #expect(!$lastOpened.isStored && other.wrappedValue == .distantPast)
            @StoredValue(key: "short", storage: storage) var short: Int?
            #expect(short == nil)
        }
    }

    @Test("An optional that was nil sees what another process stored, and updates that")
    func optionalFromAnotherProcess() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let storage = PreferencesFile(path: path)
            let number = StoredValue<Int?>(key: "n", default: nil, storage: storage)
            #expect(number.wrappedValue == nil)
            try #"{"n": 5}"#.write(toFile: path, atomically: false, encoding: .utf8)
            StoredValue(key: "other", default: 0, storage: storage).set(1)  // reads the file again
            #expect(number.wrappedValue == 5)
            number.update { $0 = ($0 ?? 0) + 1 }
            #expect(number.wrappedValue == 6)
        }
    }

    @Test("When an update throws, nothing changes")
    func throwingUpdate() throws {
        struct Refusal: Error {}
        try withTemporaryFolder { folder in
            let value = StoredValue(key: "a", default: 1, storage: PreferencesFile(path: folder + "/p.json"))
            #expect(throws: Refusal.self) {
                try value.update { number in
                    number = 2
                    throw Refusal()
                }
            }
            #expect(value.wrappedValue == 1 && !value.isStored)
        }
    }

    @Test("Updates from many threads lose nothing")
    func concurrentUpdates() async throws {
        try await withTemporaryFolder { folder in
            let storage = PreferencesFile(path: folder + "/p.json")
            await withTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        let value = StoredValue(key: "a", default: 0, storage: storage)
                        for _ in 0..<100 { value.update { $0 += 1 } }
                    }
                }
            }
            #expect(StoredValue(key: "a", default: 0, storage: storage).wrappedValue == 800)
        }
    }

    @Test("An optional moves from its former key too")
    func formerKeyOfOptional() throws {
        try withTemporaryFolder { folder in
            let storage = PreferencesFile(path: folder + "/p.json")
            StoredValue<Int?>(key: "old", default: nil, storage: storage).set(5)
            #expect(StoredValue<Int?>(key: "new", default: nil, formerKeys: ["old"], storage: storage).wrappedValue == 5)
            #expect(storage.keys == ["new"])
        }
    }

    @Test("What is read can be clamped or refused; the file keeps it")
    func validation() throws {
        struct TooSmall: Error {}
        try withTemporaryFolder { folder in
            let storage = PreferencesFile(path: folder + "/p.json")
            let plain = StoredValue(key: "size", default: 12, storage: storage)
            let checked = StoredValue(
                key: "size", default: 10,
                validate: { size in
                    if size < 0 { throw TooSmall() }
                    return min(size, 72)
                }, storage: storage)
            #expect(checked.wrappedValue == 10)
            plain.set(100)
            #expect(checked.wrappedValue == 72 && checked.repairs.isEmpty)
            plain.set(-1)
            #expect(checked.wrappedValue == 72 && checked.repairs.map(\.action) == [.usedLastGood])
            #expect(plain.wrappedValue == -1)
        }
    }
}

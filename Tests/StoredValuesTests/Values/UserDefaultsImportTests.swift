import Foundation
import Testing

@testable import StoredValues

/// What a program kept in UserDefaults.
private struct OldWindow: Codable, Equatable {
    var width = 800
    var opened = Date(timeIntervalSinceReferenceDate: 5)
    var icon = Data([1, 2])
}

@Suite("Import of UserDefaults")
struct UserDefaultsImportTests {}

extension UserDefaultsImportTests {
    private typealias Format = PropertyListSerialization.PropertyListFormat

    /// Writes a property list into `folder` and returns its path.
    private func write(_ list: Any, _ format: Format = .binary, to folder: String, name: String = "old") throws -> String {
        let data = try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
        try data.write(to: URL(fileURLWithPath: "\(folder)/\(name).plist"))
        return "\(folder)/\(name).plist"
    }

    private enum Side: String, Codable { case left, right }

    private func boxed(_ item: some Encodable) throws -> Data { try JSONEncoder().encode(["value": item]) }

    @Test("Values keep their shape, from binary and XML lists", arguments: [Format.binary, .xml])
    func shapes(format: PropertyListSerialization.PropertyListFormat) throws {
        try withTemporaryFolder { folder in
            let list: [String: Any] = [
                "text": "dark", "truth": true, "falsehood": false, "whole": 5, "negative": -3, "large": UInt64.max, "real": 1.5,
                "date": Date(timeIntervalSince1970: 0), "data": Data([0xFF, 0]), "list": [1, "x", [false]] as [Any],
                "nested": ["a": ["b": 1], "d": Data([1])] as [String: Any], "empty": [String: Any](), "digits": "5",
            ]
            let storage = PreferencesFile(path: folder + "/p.json")
            let report = try storage.importUserDefaults(at: try write(list, format, to: folder))
            #expect(report.status == .done && report.path == folder + "/old.plist")
            #expect(report.keys.count == list.count)
            for (key, outcome) in report.keys {
                #expect(outcome == .imported(as: key, from: key == "data" ? .data : .plain))
            }
            let snapshot = storage.snapshot
            let text = snapshot.keys.map { "\($0)=\(snapshot[$0]?.text(onOneLine: true) ?? "")" }.joined(separator: " ")
            #expect(
                text == """
                    data="/wA=" date="1970-01-01T00:00:00Z" digits="5" empty={} falsehood=false large=18446744073709551615 \
                    list=[1, "x", [false]] negative=-3 nested={"a": {"b": 1}, "d": "AQ=="} real=1.5 text="dark" truth=true whole=5
                    """)
        }
    }

    /// Made by Foundation's archiver, with references that only its unarchiver reads.
    private func archive(_ format: PropertyListSerialization.PropertyListFormat) throws -> Data {
        let archiver = NSKeyedArchiver(requiringSecureCoding: false)
        archiver.outputFormat = format
        archiver.encode(NSArray(array: ["x" as NSString]), forKey: NSKeyedArchiveRootObjectKey)
        return archiver.encodedData
    }

    @Test("Codable values in data come out as values: boxed as Boutique stores them, plain JSON, property lists")
    func codable() throws {
        try withTemporaryFolder { folder in
            let window = OldWindow(width: 640)
            let list: [String: Any] = [
                "boxed": try boxed(window), "json": try JSONEncoder().encode(window), "list": try PropertyListEncoder().encode(window),
                "boxedText": try boxed("dark"), "boxedNil": Data(#"{"value":null}"#.utf8), "flag": Data("true".utf8),
                "two": Data(#"{"value":1,"more":2}"#.utf8), "bytes": Data([1, 2, 3]),
                "archive": try PropertyListSerialization.data(
                    fromPropertyList: ["$archiver": "NSKeyedArchiver", "$top": [String: Any]()], format: .binary, options: 0),
                "archiveOfList": try archive(.binary), "xmlArchive": try archive(.xml),
                "nothing": "$null", "gap": try PropertyListEncoder().encode([1, nil, 2]), "sides": try JSONEncoder().encode([Side.left: 1]),
            ]
            let storage = PreferencesFile(path: folder + "/p.json")
            let keys = try storage.importUserDefaults(at: try write(list, to: folder)).keys
            #expect(keys["boxed"] == .imported(as: "boxed", from: .boxedJSON))
            #expect(keys["json"] == .imported(as: "json", from: .json))
            #expect(keys["list"] == .imported(as: "list", from: .propertyList))
            #expect(keys["bytes"] == .imported(as: "bytes", from: .data))
            #expect(keys["nothing"] == .imported(as: "nothing", from: .plain) && keys["gap"] == .imported(as: "gap", from: .propertyList))
            #expect(StoredValue(key: "nothing", default: "x" as String?, storage: storage).wrappedValue == nil)
            #expect(StoredValue(key: "gap", default: [Int?](), storage: storage).wrappedValue == [1, nil, 2])
            // Foundation writes it as a list of keys and values in turn.
            #expect(StoredValue(key: "sides", default: [Side: Int](), storage: storage).wrappedValue == [.left: 1])
            for key in ["archive", "archiveOfList", "xmlArchive"] { #expect(keys[key] == .skipped(.archivedObject)) }
            for key in ["boxed", "json", "list"] {
                #expect(StoredValue(key: key, default: OldWindow(), decoding: .strict, storage: storage).wrappedValue == window)
            }
            #expect(StoredValue(key: "boxedText", default: "", storage: storage).wrappedValue == "dark")
            let none = StoredValue<Int?>(key: "boxedNil", default: 1, storage: storage)
            #expect(none.wrappedValue == nil && none.isStored)
            #expect(StoredValue(key: "flag", default: false, storage: storage).wrappedValue)
            #expect(StoredValue(key: "two", default: [String: Int](), storage: storage).wrappedValue == ["value": 1, "more": 2])
            #expect(StoredValue(key: "bytes", default: Data(), storage: storage).wrappedValue == Data([1, 2, 3]))
        }
    }

    @Test("It is done once: what was imported and reset stays away, in other processes too")
    func once() throws {
        try withTemporaryFolder { folder in
            let path = try write(["theme": "dark"], to: folder)
            let storage = PreferencesFile(path: folder + "/p.json")
            let theme = StoredValue(key: "theme", default: "light", storage: storage)
            #expect(theme.wrappedValue == "light")
            try storage.importUserDefaults(at: path)
            #expect(theme.wrappedValue == "dark", "values that are in use see it")
            theme.reset()
            for storage in [storage, .ofAnotherProcess(folder + "/p.json")] {
                let report = try storage.importUserDefaults(at: path)
                #expect(report.status == .doneBefore && report.keys.isEmpty)
            }
            #expect(theme.wrappedValue == "light")
            #expect(storage.keys == [])
            let other = try storage.importUserDefaults(at: try write(["zoom": 2], to: folder, name: "suite"))
            #expect(other.status == .done && storage.keys == ["zoom"])
            #expect(try contents(ofFile: folder + "/p.json").contains(#""$imported": ["#))
        }
    }

    @Test("Of two processes that import at once, one does")
    func race() async throws {
        try await withTemporaryFolder { folder in
            let path = try write(["count": 1], to: folder)
            let reports = try await withThrowingTaskGroup(of: UserDefaultsImport.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        try PreferencesFile.ofAnotherProcess(folder + "/p.json", lockTimeout: hangLimit).importUserDefaults(at: path)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(reports.count { $0.status == .done } == 1 && reports.count { $0.status == .doneBefore } == 3)
        }
    }

    @Test("What is stored is never overwritten, a stored nil included; other names and gaps are the program's choice")
    func skipped() throws {
        try withTemporaryFolder { folder in
            let list = ["theme": "old", "nothing": "old", "a": "1", "b": "2", "secret": "s", "": "x", "$d": "y", "app.zoom": "z"]
            let storage = PreferencesFile(path: folder + "/p.json")
            StoredValue(key: "theme", default: "", storage: storage).set("new")
            StoredValue<String?>(key: "nothing", default: "", storage: storage).set(nil)
            let report = try storage.importUserDefaults(at: try write(list, to: folder)) { key in
                switch key {
                case "a", "b": "same"
                case "secret": nil
                default: key.hasPrefix("app.") ? String(key.dropFirst(4)) : key
                }
            }
            #expect(
                report.keys == [
                    "theme": .skipped(.alreadyStored), "nothing": .skipped(.alreadyStored), "secret": .skipped(.excluded),
                    "": .skipped(.unusableKey), "$d": .skipped(.unusableKey), "app.zoom": .imported(as: "zoom", from: .plain),
                    "a": .imported(as: "same", from: .plain), "b": .skipped(.alreadyStored),
                ])
            #expect(StoredValue(key: "theme", default: "", storage: storage).wrappedValue == "new")
            #expect(storage.keys == ["nothing", "same", "theme", "zoom"])
        }
    }

    @Test("The report names every key and what became of it, and no value")
    func description() throws {
        try withTemporaryFolder { folder in
            let path = try write(["theme": "dark", "old": "value", "$x": "value"], to: folder)
            let report = try PreferencesFile(path: folder + "/p.json").importUserDefaults(at: path) { $0 == "old" ? "new" : $0 }
            #expect(
                report.description == """
                    Imported UserDefaults from "\(path)":
                      "$x" was skipped: a key must not be empty or begin with $
                      "old" was imported as "new" (a plain value)
                      "theme" was imported (a plain value)
                    """)
        }
    }

    @Test("Without a property list nothing is written, and it is imported once it is there")
    func missing() throws {
        try withTemporaryFolder { folder in
            let storage = PreferencesFile(path: folder + "/p.json")
            let report = try storage.importUserDefaults(at: folder + "/old.plist")
            #expect(report.status == .noFile)
            #expect(!FileManager.default.fileExists(atPath: folder + "/p.json"))
            #expect(try storage.importUserDefaults(at: try write(["a": 1], to: folder)).status == .done)
        }
    }

    @Test(
        "What is no property list of keys is refused with its path, and can be imported once it is correct",
        arguments: [
            "", "bplist00junk", "<plist><dict><key>a</key>", #"{"a": 1}"#, "<plist version=\"1.0\"><array></array></plist>",
        ])
    func broken(text: String) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/old.plist"
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            let storage = PreferencesFile(path: folder + "/p.json")
            let error = try #require(throws: PreferencesError.self) { try storage.importUserDefaults(at: path) }
            #expect(
                error
                    == .notImported(
                        path: path, reason: "It is not a property list of keys and values. Correct it, or move it away."))
            #expect(storage.keys == [])
            #expect(try storage.importUserDefaults(at: try write(["a": 1], to: folder)).status == .done)
        }
    }

    @Test("What cannot be read is refused with the reason")
    func unreadable() throws {
        try withTemporaryFolder { folder in
            try FileManager.default.createDirectory(atPath: folder + "/old.plist", withIntermediateDirectories: false)
            let error = try #require(throws: PreferencesError.self) {
                try PreferencesFile(path: folder + "/p.json").importUserDefaults(at: folder + "/old.plist")
            }
            #expect(error.description.contains("\(folder)/old.plist") && error.description.contains("it is a folder"))
        }
    }

    @Test("What this toolchain's UserDefaults wrote is found and imported", arguments: [nil, "com.example.Suite"])
    func foundation(suite: String?) async throws {
        try await withTemporaryFolder { folder in
            let command = [try BuiltProgram.path("UserDefaultsProgram")] + (suite.map { [$0] } ?? [])
            let environment = ["HOME": folder, "PATH": "/usr/bin:/bin"]
            for _ in 0..<2 {
                let run = try await FinishedProgram.run(command, environment: environment, in: folder)
                #expect(run.status == 0 && run.errors == "", "\(run)")
                let path = "\(folder)/.config/\(suite ?? "UserDefaultsProgram").plist"
                let isFirst = run.output.hasPrefix("Imported UserDefaults from \"\(path)\":\n")
                #expect(isFirst || run.output.hasPrefix("The UserDefaults in \"\(path)\" were imported before."), "\(run.output)")
                #expect(run.output.hasSuffix("[\"width\": 640]\n0.0\n"))
                #expect(!isFirst || run.output.contains("\"window\" was imported (boxed JSON in data)"))
            }
        }
    }

    @Test("In temporary storage it is read from there, never from the user's folder")
    func temporary() throws {
        try withTemporaryStorage {
            let storage = PreferencesFile.standard
            #expect(try storage.importUserDefaults(named: "old").status == .noFile)
            let folder = URL(fileURLWithPath: storage.path).deletingLastPathComponent().path
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            _ = try write(["a": 1], to: folder)
            #expect(try storage.importUserDefaults(named: "old").keys == ["a": .imported(as: "a", from: .plain)])
        }
    }
}

import Foundation
import Logging
import StoredValues
import Testing

extension StoredKey where Item == Int {
    fileprivate static let limit = StoredKey("limit", default: 60, formerKeys: ["maximum"], help: "Requests a minute")
}

extension StoredKey where Item == String {
    fileprivate static let theme = StoredKey("theme", default: "light")
}

extension StoredKey where Item == String? {
    fileprivate static let nickname = StoredKey("nickname", help: "What friends say")
}

@Suite("A key that is declared once", .hangLimit)
struct StoredKeyTests {}

extension StoredKeyTests {
    final class Server {
        @StoredValue(.limit) var limit
        @StoredValue(.limit, storage: .named("other")) var otherLimit
    }

    @Test("A property, a wrapper in a let and the file itself read one value by it")
    func oneValue() {
        withTemporaryStorage {
            let server = Server()
            let limit = StoredValue(.limit)
            #expect(server.limit == 60 && limit.value == 60 && PreferencesFile.standard[.limit] == 60)
            limit.set(7)
            #expect(server.limit == 7 && PreferencesFile.standard[.limit] == 7 && server.otherLimit == 60)
            server.$otherLimit.set(8)
            #expect(PreferencesFile.named("other")[.limit] == 8 && PreferencesFile.standard[.limit] == 7)
        }
    }

    @Test("A key of an optional needs no default, which is nil")
    func optional() {
        withTemporaryStorage {
            let nickname = StoredValue(.nickname)
            #expect(nickname.value == nil && !nickname.isStored)
            nickname.set("Ada")
            #expect(StoredValue(.nickname).value == "Ada")
            #expect(PreferencesFile.settings(of: .nickname).map(\.help) == ["What friends say"])
        }
    }

    @Test("The file reads a key as a wrapper does: repaired, validated, moved from a former name")
    func wholeReading() throws {
        struct Window: Codable, Equatable {
            var width = 800
            var height = 600
        }
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try #"{"window": {"width": "?", "height": 5}, "old": 500}"#.write(toFile: path, atomically: false, encoding: .utf8)
            let storage = PreferencesFile(path: path)
            #expect(storage[StoredKey("window", default: Window())] == Window(width: 800, height: 5))
            let size = StoredKey("size", default: 1, formerKeys: ["old"], validate: { min($0, 100) })
            #expect(storage[size] == 100)
            #expect(storage.keys == ["size", "window"])
        }
    }

    @Test("The settings of several keys contain name, help, default, value and its source")
    func settings() throws {
        try withTemporaryStorage {
            StoredValue(.limit).set(7)
            let lists = StoredKey("lists", default: ["b": [1, 2], "a": []], help: "Lists")
            let settings = PreferencesFile.settings(of: .limit, .theme, lists)
            #expect(settings.map(\.name) == ["limit", "theme", "lists"])
            #expect(settings.map(\.help) == ["Requests a minute", "", "Lists"])
            #expect(settings.map(\.value) == [7, "light", ["a": [], "b": [1, 2]]])
            #expect(settings.map(\.default) == [60, "light", ["a": [], "b": [1, 2]]])
            #expect(settings.map { "\($0.value)" } == ["7", #""light""#, #"{"a": [], "b": [1, 2]}"#])
            #expect(settings.map(\.source) == [.file, .code, .code])
            let other = try #require(PreferencesFile.named("other").settings(of: .limit).first)
            #expect(other.value == 60 && other.source == .code)
        }
    }

    @Test("A value that cannot be encoded is null among the settings")
    func notEncodable() {
        struct Odd: Codable {
            init() {}
            init(from decoder: any Decoder) {}
            func encode(to encoder: any Encoder) throws {
                throw EncodingError.invalidValue(self, EncodingError.Context(codingPath: [], debugDescription: "odd"))
            }
        }
        withTemporaryStorage {
            #expect(PreferencesFile.settings(of: StoredKey("odd", default: Odd())).map(\.value) == [.null])
        }
    }

    @Test("An undeclared key of the file is listed, a former name and a key of the system-wide defaults are not")
    func undeclared() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try #"{"theem": "dark", "Limit": 5, "maximum": 3, "é": 1, "theme": "dark", "$versions": {"theme": 0}}"#
                .write(toFile: path, atomically: false, encoding: .utf8)
            let storage = PreferencesFile(path: path)
            #expect(storage.undeclaredKeys(besides: .limit, .theme) == ["Limit", "theem", "é"])
            #expect(storage.undeclaredKeys(besides: .theme, StoredKey("e\u{301}", default: 1)) == ["Limit", "maximum", "theem", "é"])
            withTemporaryStorage {
                StoredValue(key: "limt", default: 0).set(1)
                #expect(PreferencesFile.undeclaredKeys(besides: .limit) == ["limt"])
            }
        }
    }

    @Test("Two defaults of one key are logged once, and equal ones never")
    func twoDefaults() async throws {
        try await withTemporaryFolder { folder in
            _ = await #expect(processExitsWith: .success) { [folder = folder as String] in
                struct Plain: Codable { var a = 1 }
                LoggingSystem.bootstrap { _ in RecordingLogHandler() }
                let storage = PreferencesFile(path: folder + "/p.json")
                func uses(_ defaults: Int...) -> [StoredValue<Int>] {
                    defaults.map { StoredValue(key: "limit", default: $0, storage: storage) }
                }
                let same = uses(60, 60)
                #expect(same.map(\.value) == [60, 60])
                let sets = (0..<2).map { _ in StoredValue(key: "set", default: Set((0..<100).map { "\($0)" }), storage: storage) }
                #expect(sets[0].value == sets[1].value)
                let nans = (0..<2).map { _ in StoredValue(key: "nan", default: Double.nan, storage: storage) }
                #expect(nans.allSatisfy { $0.value.isNaN })
                let nils = (0..<2).map { _ in StoredValue<Int?>(key: "nil", storage: storage) }
                #expect(nils.map(\.value) == [nil, nil])
                let plain = [1, 1].map { StoredValue(key: "plain", default: Plain(a: $0), storage: storage) }
                #expect(plain.map(\.value.a) == [1, 1])
                #expect(RecordingLogHandler.takeLines() == [])

                let others = uses(70, 80)
                #expect(others.map(\.value) == [70, 80])
                #expect(same.map(\.value) == [60, 60])
                let otherPlain = StoredValue(key: "plain", default: Plain(a: 2), storage: storage)
                #expect(otherPlain.value.a == 2)
                let otherNil = StoredValue<Int?>(key: "nil", default: 1, storage: storage)
                #expect(otherNil.value == 1)
                let lines = RecordingLogHandler.takeLines()
                #expect(lines.map { $0.split(separator: ", ").dropFirst().first.map(String.init) } == ["60 and 70", #"{"a": 1} and {"a": 2}"#, "null and 1"])
                #expect(lines.allSatisfy { $0.contains(folder + "/p.json") } && lines[0].contains("\"limit\""))
                // Not again when the wrappers are new ones, nor after a change.
                same[0].set(1)
                same[0].reset()
                #expect(uses(90).map(\.value) == [90] && RecordingLogHandler.takeLines() == [])
            }
        }
    }
}

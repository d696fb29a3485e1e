import Foundation
import StoredValuesSupport
import Testing

@testable import StoredValues

extension StoredKey where Item == Int {
    fileprivate static let limit = StoredKey("limit", default: 60, in: 1...100, formerKeys: ["maximum"], title: "Limit", help: "Requests a minute")
    fileprivate static let zoom = StoredKey("zoom", default: 100)
}

extension StoredKey where Item == SettingsTests.Theme {
    fileprivate static let theme = StoredKey("theme", default: .light, title: "Theme")
}

extension StoredKey where Item == String {
    fileprivate static let name = StoredKey(
        "name", default: "Ada",
        validate: { name in
            guard !name.isEmpty else { throw SettingsTests.NoName() }
            return name
        })
}

@Suite("Settings that describe themselves", .hangLimit)
struct SettingsTests {}

extension SettingsTests {
    enum Theme: String, Codable, CaseIterable { case light, dark, highContrast = "high contrast" }
    /// It reads more than the schema can know.
    enum Speed: String, Codable, CaseIterable {
        case slow, fast
        init?(rawValue: String) {
            guard let speed = Self.allCases.first(where: { $0.rawValue == (rawValue == "quick" ? "fast" : rawValue) }) else { return nil }
            self = speed
        }
    }
    struct NoName: Error, CustomStringConvertible { var description: String { "a name must not be empty" } }
    struct Window: Codable { var width = 800, title: String? }
    struct Point: Codable { var x = 0, y = 5 }
    struct App: Codable { var window = Window() }

    private static let all = [AnyStoredKey](.limit, .theme, .name)

    private func withFile(_ text: String = "{}", _ body: (PreferencesFile) throws -> Void) throws {
        try withTemporaryFolder { folder in
            try writeFinished(Array(text.utf8), to: "\(folder)/p.json")
            try body(PreferencesFile(path: "\(folder)/p.json"))
        }
    }

    private func setting<Item>(_ key: StoredKey<Item>, in file: PreferencesFile) throws -> Setting {
        try #require(file.settings(of: [AnyStoredKey(key)]).first)
    }

    @Test("A setting says its title, help, default, value, source, repairs, range and cases")
    func described() throws {
        try withFile(#"{"theme": "pink", "limit": 7}"#) { file in
            let settings = file.settings(of: Self.all)
            #expect(settings.map(\.name) == ["limit", "theme", "name"])
            #expect(settings.map(\.title) == ["Limit", "Theme", ""] && settings.map(\.help) == ["Requests a minute", "", ""])
            #expect(settings.map(\.default) == [60, "light", "Ada"] && settings.map(\.value) == [7, "light", "Ada"])
            #expect(settings.map(\.source) == [.file, .file, .code])
            #expect(settings.map(\.repairs.count) == [0, 1, 0])
            #expect(settings[0].range?.description == "1...100" && settings[1].range == nil)
            #expect(settings[0].range?.lowerBound == 1 && settings[0].range?.upperBound == 100)
            #expect(settings.map(\.cases) == [[], ["light", "dark", "high contrast"], []])
            let nick = try setting(StoredKey<String?>("nick", default: "Countess"), in: file)
            #expect(settings.map(\.isOptional) == [false, false, false] && nick.isOptional)
            #expect(StoredKey.limit.defaultItem == 60 && StoredKey.limit.title == "Limit" && AnyStoredKey(.limit).help == "Requests a minute")
        }
    }

    @Test(
        "A text is read as the type wants it",
        arguments: [
            (AnyStoredKey(.zoom), "30", "30"), (AnyStoredKey(.zoom), " 30 ", "30"), (AnyStoredKey(.zoom), "-5", "-5"),
            (AnyStoredKey(StoredKey("k", default: 0.5)), "30", "30"), (AnyStoredKey(StoredKey("k", default: 0.5)), "1e3", "1000"),
            (AnyStoredKey(StoredKey("k", default: 0.5)), "nan", "\"nan\""),
            (AnyStoredKey(StoredKey("k", default: true)), "false", "false"),
            (AnyStoredKey(StoredKey("k", default: "")), "30", "\"30\""), (AnyStoredKey(StoredKey("k", default: "")), "true", "\"true\""),
            (AnyStoredKey(StoredKey("k", default: "")), "two words", "\"two words\""), (AnyStoredKey(StoredKey("k", default: "")), "\"x\"", "\"\\\"x\\\"\""),
            (AnyStoredKey(StoredKey("k", default: "x")), "", "\"\""), (AnyStoredKey(StoredKey("k", default: "x")), "[1]", "\"[1]\""),
            (AnyStoredKey(StoredKey("k", default: String?.none)), "null", "\"null\""), (AnyStoredKey(StoredKey("k", default: String?.none)), "14", "\"14\""),
            (AnyStoredKey(StoredKey("k", default: Int?.some(1))), "null", "null"), (AnyStoredKey(StoredKey("k", default: Int?.none)), "5", "5"),
            (AnyStoredKey(.theme), "dark", "\"dark\""), (AnyStoredKey(.theme), "high contrast", "\"high contrast\""),
            (AnyStoredKey(StoredKey("k", default: Date.distantPast)), "2026-11-21T10:59:00Z", "\"2026-11-21T10:59:00Z\""),
            (AnyStoredKey(StoredKey("k", default: Decimal(1))), "0.10", "0.1"), (AnyStoredKey(StoredKey("k", default: URL?.none)), "https://a.b/c", "\"https://a.b/c\""),
            (AnyStoredKey(StoredKey("k", default: [String]())), #"["a", "b"]"#, #"["a", "b"]"#),
            (AnyStoredKey(StoredKey("k", default: Window())), #"{"width": 5}"#, #"{"width": 5}"#),
            (AnyStoredKey(StoredKey("k", default: Point())), #"{"x": 1}"#, #"{"x": 1, "y": 5}"#),
            (AnyStoredKey(StoredKey("k", default: JSONValue.null)), "[1, 2.50]", "[1, 2.50]"), (AnyStoredKey(StoredKey("k", default: JSONValue.null)), "word", "\"word\""),
        ])
    func text(key: AnyStoredKey, text: String, stored: String) throws {
        try withFile { file in
            try #require(file.settings(of: [key]).first).set(text: text)
            let document = try JSONValue(parsing: contents(ofFile: file.path))
            #expect(try document[key.name] == JSONValue(parsing: stored))
            #expect(file.settings(of: [key])[0].source == .file)
        }
    }

    @Test(
        "What is no such value is refused, and the reason says what is allowed; the file stays as it is",
        arguments: [
            (AnyStoredKey(.zoom), "2 h", "a whole number"), (AnyStoredKey(.zoom), "", "a whole number"), (AnyStoredKey(.zoom), "1.5", "a whole number"),
            (AnyStoredKey(.zoom), "99999999999999999999", "a whole number"), (AnyStoredKey(.zoom), "+5", "a whole number"),
            (AnyStoredKey(.limit), "many", "a whole number from 1 to 100"), (AnyStoredKey(.limit), "500", "1...100"),
            (AnyStoredKey(.theme), "pink", "light, dark or high contrast"), (AnyStoredKey(.theme), "Dark", "light, dark or high contrast"),
            (AnyStoredKey(StoredKey("k", default: true)), "yes", "true or false"), (AnyStoredKey(StoredKey("k", default: UInt8(1))), "256", "a whole number from 0 to 255"),
            (AnyStoredKey(StoredKey("k", default: Date.now)), "2026-11-21", "2026-11-21T10:59:00Z"), (AnyStoredKey(.name), "", "must not be empty"),
            (AnyStoredKey(StoredKey("k", default: [1])), "a b", "a list"), (AnyStoredKey(StoredKey("k", default: Window())), #"{"width": "x"}"#, "width must be a whole number"),
            (AnyStoredKey(StoredKey("k", default: 0.5, in: 0...1)), "nan", "nan is not in 0.0...1.0"),
            (AnyStoredKey(StoredKey("k", default: [Point]())), #"[{"x": 1}]"#, #"there is no member "y""#),
            (AnyStoredKey(StoredKey("k", default: Decimal(1), in: 0...100)), "many", "a number from 0 to 100"),
            (AnyStoredKey(StoredKey("k", default: Window())), #"{"widht": 5}"#, #"there is no member "width""#),
            (AnyStoredKey(StoredKey("k", default: App())), #"{"window": {"widht": 5}}"#, #"there is no member "width""#),
        ])
    func refused(key: AnyStoredKey, text: String, words: String) throws {
        try withFile(#"{"zoom": 5}"#) { file in
            let before = try contents(ofFile: file.path)
            let setting = try #require(file.settings(of: [key]).first)
            do throws(PreferencesError) {
                try setting.set(text: text)
                Issue.record("\(text) was taken")
            } catch {
                guard case .notValid(key.name, file.path, let reason) = error else {
                    Issue.record("\(error)")
                    return
                }
                #expect(reason.contains(words), "\(reason)")
            }
            #expect(try contents(ofFile: file.path) == before)
        }
    }

    @Test("JSON is set as it is, or refused with the part that does not fit")
    func json() async throws {
        try withFile { file in
            let window = try setting(StoredKey("window", default: Window()), in: file)
            try window.set(["width": 5, "title": "x"])
            #expect(try setting(StoredKey("window", default: Window()), in: file).value == ["width": 5, "title": "x"])
            #expect(throws: PreferencesError.notValid(key: "window", path: file.path, reason: "width must be a whole number")) {
                try window.set(["width": "x"])
            }
            #expect(throws: PreferencesError.notValid(key: "limit", path: file.path, reason: "500 is not in 1...100")) { try setting(.limit, in: file).set(500) }
            #expect(throws: PreferencesError.self) { try setting(.limit, in: file).set(.null) }
        }
    }

    @Test("A newer version's value is refused, and a setting resets its value with the former names")
    func newerAndReset() throws {
        try withFile(#"{"maximum": 7, "$versions": {"theme": 3}, "theme": "neon"}"#) { file in
            #expect(throws: PreferencesError.newerVersion(key: "theme", path: file.path, stored: 3, supported: 0)) { try setting(.theme, in: file).set(text: "dark") }
            let limit = try setting(.limit, in: file)
            #expect(limit.value == 7 && limit.source == .file)
            limit.reset()
            #expect(try setting(.limit, in: file).value == 60 && setting(.limit, in: file).source == .code)
            #expect(try !contents(ofFile: file.path).contains("maximum"))
        }
    }

    @Test("Several keys are reset in one change of the file")
    func resets() async throws {
        let updates = try await withTemporaryFolder { folder in
            try writeFinished(Array(#"{"limit": 5, "zoom": 7, "theme": "dark"}"#.utf8), to: "\(folder)/p.json")
            let file = PreferencesFile(path: "\(folder)/p.json")
            var updates = file.settingUpdates(of: [AnyStoredKey(.limit), AnyStoredKey(.zoom), AnyStoredKey(.theme)]).makeAsyncIterator()
            let first = await updates.next(isolation: nil)
            file.reset(.limit, .zoom)
            return [first, await updates.next(isolation: nil)]
        }
        #expect(updates.map { $0?.map(\.value) } == [[5, 7, "dark"], [60, 100, "dark"]])
    }

    @Test("Updates are the settings now, then after every change of a value, a source or a repair, and of no other key")
    func updates() async throws {
        try await withTemporaryStorage {
            let file = PreferencesFile.standard
            var updates = file.settingUpdates(of: Self.all).makeAsyncIterator()
            let first = await updates.next(isolation: nil)
            StoredValue(.zoom).set(1)
            StoredValue(.limit).set(60)
            let second = await updates.next(isolation: nil)
            try setting(.name, in: file).set(text: "Grace")
            let third = await updates.next(isolation: nil)
            let ada: [JSONValue] = [60, "light", "Ada"], grace: [JSONValue] = [60, "light", "Grace"]
            #expect([first, second, third].map { $0?.map(\.value) } == [ada, ada, grace])
            #expect([first, second].map { $0?.first?.source } == [.code, .file])
            try writeFinished(Array(#"{"theme": "pink"}"#.utf8), to: file.path)
            file.reload()
            let fourth = await updates.next(isolation: nil)
            #expect(fourth?.map(\.repairs.count) == [0, 1, 0])
            #expect(fourth?.map(\.source) == [.code, .file, .code])
        }
    }

    /// An item that is 1, and while it is encoded something else happens.
    struct Interrupted: Codable {
        static let meanwhile = Guarded<(@Sendable () -> Void)?>(nil)

        init() {}
        init(from decoder: any Decoder) throws {}
        func encode(to encoder: any Encoder) throws {
            Self.meanwhile.withLock { $0 }?()
            try 1.encode(to: encoder)
        }
    }

    @Test("What another program changes while an update is made comes with the next one, also while the first is made")
    func changedMeanwhile() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try writeFinished(Array(#"{"first": 1, "second": 1}"#.utf8), to: path)
            let file = PreferencesFile.ofAnotherProcess(path)
            // So that nothing comes by itself.
            file.store.queues.watching.suspend()
            defer { file.store.queues.watching.resume() }
            let number = Guarded(1)
            Interrupted.meanwhile.withLock {
                $0 = {
                    let next = number.withLock { number in
                        number += 1
                        return number
                    }
                    guard next <= 10 else { return }
                    #expect(throws: Never.self) { try writeFinished(Array(#"{"first": 1, "second": \#(next)}"#.utf8), to: path) }
                    onAnotherThread { file.reload() }
                }
            }
            defer { Interrupted.meanwhile.withLock { $0 = nil } }
            let keys = [AnyStoredKey(StoredKey("first", default: Interrupted())), AnyStoredKey(StoredKey("second", default: 0))]
            let seen = Collector(file.settingUpdates(of: keys).map { $0.map(\.value) })
            try await seen.wait(untilLast: [1, 10])
        }
    }

    @Test(
        "A program that requires valid values is told of each that it would not read as it is stored",
        arguments: [
            (#"{"theme": "dark", "limit": 7, "other": "x"}"#, []), ("{}", []), (#"{"limit": "7"}"#, ["\"limit\": it must be a whole number from 1 to 100"]),
            (#"{"speed": "quick", "wait": [1, 0]}"#, []), (#"{"wait": [0, 0]}"#, ["\"wait\": 0.0 seconds is not in "]),
            (#"{"theme": "pink", "limit": 500, "name": ""}"#, ["\"limit\": it must be", "\"theme\": it must be light, dark or high contrast", "\"name\": a name must not be empty"]),
        ] as [(String, [String])])
    func requireValid(text: String, problems: [String]) throws {
        try withFile(text) { file in
            let wait = StoredKey("wait", default: Duration.seconds(1), in: .seconds(1)...(.seconds(60)))
            let keys = Self.all + [AnyStoredKey](StoredKey("speed", default: Speed.slow), wait)
            guard !problems.isEmpty else { return try file.requireValid(keys) }
            let error = #expect(throws: PreferencesError.self) { try file.requireValid(keys) }
            for problem in problems { #expect("\(try #require(error))".contains(problem), "\(error as Any)") }
            #expect(try contents(ofFile: file.path) == text)
        }
        try withFile("{") { file in #expect(throws: PreferencesError.self) { try file.requireValid([]) } }
    }

    @Test("Undeclared keys are found by a list of keys, too")
    func undeclared() throws {
        try withFile(#"{"theem": 1, "maximum": 3, "theme": "dark"}"#) { #expect($0.undeclaredKeys(besides: Self.all) == ["theem"]) }
    }
}

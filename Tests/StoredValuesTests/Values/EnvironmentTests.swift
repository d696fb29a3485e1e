import Dispatch
import Foundation
import Logging
import Observation
import StoredValuesSupport
import Testing

@testable import StoredValues

extension StoredKey where Item == Int {
    fileprivate static let limit = StoredKey("limit", default: 60, in: 1...100, formerKeys: ["maximum"])
    fileprivate static let zoom = StoredKey("zoom", default: 100)
}

extension StoredKey where Item == String {
    fileprivate static let name = StoredKey(
        "name", default: "Ada",
        validate: { name in
            guard name != "root" else { throw EnvironmentTests.Refusal() }
            return name
        })
}

@Suite("Variables of the environment as values", .hangLimit)
struct EnvironmentTests {}

extension EnvironmentTests {
    struct Refusal: Error, CustomStringConvertible { var description: String { "root is refused" } }
    struct Window: Codable, Equatable { var width = 800, title: String? }
    struct Point: Codable { var x = 0, y = 5 }
    enum Theme: String, Codable, CaseIterable { case light, dark }

    /// Runs `body` with a file under these variables, whose names begin with APP_, as in another process.
    private func withFile(
        _ variables: [String: String?], _ text: String = "{}", isolation: isolated (any Actor)? = #isolation,
        _ body: (PreferencesFile) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            try writeFinished(Array(text.utf8), to: "\(folder)/p.json")
            let file = PreferencesFile.ofAnotherProcess("\(folder)/p.json")
            file.store.state.withLock { $0.log = TroubleLog(path: file.path) }  // which is held, so that the notes stay there
            file.store.add(EnvironmentVariables(prefix: "APP_", variables))
            try await body(file)
        }
    }

    /// All that was noted to be logged since the variables were added.
    private func notes(_ file: PreferencesFile) -> [String] {
        var log = file.store.state.withLock { $0.log }  // a copy, because nothing is taken from the file's own, which is held
        log.allowLogging()
        return log.take().map(\.text)
    }

    @Test(
        "The name of a variable",
        arguments: [
            ("port", "PORT"), ("maxConnections", "MAX_CONNECTIONS"), ("http.port", "HTTP_PORT"), ("http.maxConnections", "HTTP_MAX_CONNECTIONS"),
            ("URLPath", "URLPATH"), ("urlPath", "URL_PATH"), ("baseURL", "BASE_URL"), ("http2Port", "HTTP2PORT"), ("sha256", "SHA256"), ("utf8Text", "UTF8TEXT"),
            ("user-agent", "USER_AGENT"), ("user agent", "USER_AGENT"), ("user_agent", "USER_AGENT"), ("a..b", "A__B"), ("größe", "GR__E"), ("e\u{301}", "E_"),
            ("éA", "_A"), ("ALL", "ALL"), ("x", "X"),
        ])
    func names(key: String, name: String) {
        #expect(EnvironmentVariables.name(of: key) == name)
        #expect(EnvironmentVariables(prefix: "APP_", [:]).name(of: key) == "APP_" + name)
    }

    @Test("A variable lies above the file and what is below it; what is stored, the keys and resetAll concern the file")
    func above() async throws {
        try await withFile(["APP_LIMIT": "7"], #"{"limit": 5, "zoom": 2}"#) { file in
            let limit = StoredValue(.limit, storage: file), zoom = StoredValue(.zoom, storage: file)
            #expect(limit.value == 7 && limit.source == .environment && limit.repairs.isEmpty && limit.isStored)
            #expect(zoom.value == 2 && zoom.source == .file)
            #expect(file.keys == ["limit", "zoom"])
            #expect(file.snapshot["limit"] == 7 && file.snapshot.source(of: "limit") == .environment && file.snapshot["zoom"] == 2)
            let setting = try #require(file.settings(of: .limit).first)
            #expect(setting.value == 7 && setting.source == .environment && setting.isStored && setting.default == 60)
            var updates = file.settingUpdates(of: [AnyStoredKey(.limit)]).makeAsyncIterator()
            #expect(await updates.next(isolation: nil)?.map(\.isStored) == [true])
            file.resetAll()
            #expect(file.keys == [] && !limit.isStored)
            #expect(await updates.next(isolation: nil)?.map(\.isStored) == [false], "only that has changed")
            #expect(limit.value == 7 && limit.source == .environment && zoom.value == 100)
            try await file.flush()
        }
    }

    @Test("A value under a former key moves in the file, and has no variable of its own")
    func formerKeys() async throws {
        try await withFile(["APP_LIMIT": "7", "APP_MAXIMUM": "8"], #"{"maximum": 5}"#) { file in
            let limit = StoredValue(.limit, storage: file)
            #expect(limit.value == 7 && limit.isStored && file.keys == ["limit"])
        }
        try await withFile(["APP_MAXIMUM": "8"], #"{"maximum": 5}"#) { file in #expect(file[.limit] == 5) }
    }

    @Test(
        "A text is read as the type of the key wants it, as by Setting.set(text:)",
        arguments: [
            (AnyStoredKey(.zoom), "30", "30"), (AnyStoredKey(StoredKey("k", default: 0.5)), "1e3", "1000"), (AnyStoredKey(StoredKey("k", default: 0.5)), "nan", "\"nan\""),
            (AnyStoredKey(StoredKey("k", default: false)), "true", "true"), (AnyStoredKey(StoredKey("k", default: "x")), "30", "\"30\""),
            (AnyStoredKey(StoredKey("k", default: "x")), "\"q\"", "\"\\\"q\\\"\""), (AnyStoredKey(StoredKey("k", default: "x")), "", "\"\""),
            (AnyStoredKey(StoredKey("k", default: "x")), " two words ", "\" two words \""), (AnyStoredKey(StoredKey("k", default: String?.some("x"))), "", "\"\""),
            (AnyStoredKey(StoredKey("k", default: Int?.some(1))), "null", "null"), (AnyStoredKey(StoredKey("k", default: [0])), "[1, 2]", "[1, 2]"),
            (AnyStoredKey(StoredKey("k", default: ["a": 1])), #"{"b": 2}"#, #"{"b": 2}"#), (AnyStoredKey(StoredKey("k", default: Theme.light)), "dark", "\"dark\""),
            (AnyStoredKey(StoredKey("k", default: Window())), #"{"width": 3}"#, #"{"width": 3}"#),
            (AnyStoredKey(StoredKey("k", default: Point())), #"{"x": 1}"#, #"{"x": 1, "y": 5}"#),
        ])
    func types(key: AnyStoredKey, text: String, value: String) async throws {
        try await withFile(["APP_" + EnvironmentVariables.name(of: key.name): text]) { file in
            let setting = try #require(file.settings(of: [key]).first)
            #expect(setting.value == JSONValue(text: value) && setting.source == .environment, "\(setting.value)")
            #expect(notes(file) == [])
        }
    }

    @Test(
        "What is no value of the key is logged once and passed over, and an empty variable is a text and no other value",
        arguments: [
            ("APP_ZOOM", "many", "it must be a whole number"), ("APP_ZOOM", "", "it must be a whole number"), ("APP_ZOOM", "1.5", "a whole number"),
            ("APP_BEEP", "yes", "it must be true or false"), ("APP_BEEP", "1", "true or false"), ("APP_BEEP", "TRUE", "true or false"),
            ("APP_NAME", "root", "root is refused"), ("APP_NAME", nil, "not UTF-8"),
            ("APP_WINDOW", #"{"width": "x"}"#, "width"), ("APP_WINDOW", "", "object"), ("APP_THEME", "pink", "light or dark"), ("APP_IDS", "1,2", "list"),
            ("APP_IDS", "", "list"), ("APP_AGE", "", "number"),
        ] as [(String, String?, String)])
    func passedOver(variable: String, text: String?, reason: String) async throws {
        let stored = #"{"zoom": 2, "beep": true, "name": "Eve", "window": {"width": 5}, "theme": "dark", "ids": [3], "age": 4}"#
        try await withFile([variable: text], stored) { file in
            let keys = [
                AnyStoredKey(.zoom), AnyStoredKey(StoredKey("beep", default: false)), AnyStoredKey(.name), AnyStoredKey(StoredKey("window", default: Window())),
                AnyStoredKey(StoredKey("theme", default: Theme.light)), AnyStoredKey(StoredKey("ids", default: [Int]())),
                AnyStoredKey(StoredKey("age", default: Int?.none)),
            ]
            for _ in 0..<2 {
                let settings = file.settings(of: keys)
                #expect(settings.map(\.source) == settings.map { _ in .file } && settings.allSatisfy { $0.repairs.isEmpty })
                #expect(Dictionary(settings.map { ($0.name, $0.value) }) { $1 } == JSONValue(text: stored)?.objectValue)
            }
            let notes = notes(file)
            #expect(notes.count == 1 && notes.first?.contains("environment variable \(variable) is passed over") == true, "\(notes)")
            #expect(notes.first?.contains(reason) == true && notes.first?.contains("Correct or unset it") == true, "\(notes)")
            // The value of the file can be changed.
            StoredValue(.zoom, storage: file).set(9)
            try await file.flush()
            #expect(file[.zoom] == 9)
        }
    }

    @Test("A range applies as to everything that is read: the nearer bound")
    func range() async throws {
        try await withFile(["APP_LIMIT": "500"]) { file in #expect(file[.limit] == 100 && notes(file) == []) }
    }

    @Test("Changes are refused singly and logged, and the next flush throws each once; what is checked or durable throws at once")
    func refused() async throws {
        try await withFile(["APP_LIMIT": "7", "APP_NAME": "Bob"], #"{"limit": 5}"#) { file in
            let limit = StoredValue(.limit, storage: file), zoom = StoredValue(.zoom, storage: file)
            let error = PreferencesError.overridden(key: "limit", by: "APP_LIMIT")
            for change in [{ limit.set(9) }, { limit.set(9, overwritingNewer: true) }, { limit.reset() }, { limit.update { $0 += 1 } }] as [() -> Void] {
                change()
                #expect(limit.value == 7 && file.store.own("limit") == StoredJSON(json: Array("5".utf8)))
                #expect(notes(file).contains { $0.contains("\"limit\" was not changed") && $0.contains("APP_LIMIT") })
                #expect(await #expect(throws: PreferencesError.self) { try await file.flush() } == error)
                try await file.flush()
            }
            file.batch {
                zoom.set(3)
                limit.set(9)
                StoredValue(.name, storage: file).reset()
                limit.set(8)
                #expect(zoom.value == 3 && limit.value == 7)
            }
            #expect(zoom.value == 3 && limit.value == 7)
            let both = PreferencesError.several([error, .overridden(key: "name", by: "APP_NAME")])
            #expect(await #expect(throws: PreferencesError.self) { try await file.flush() } == both)
            try await file.flush()
            #expect(throws: error) { try limit.set(checking: 9) }
            #expect(throws: error) { try limit.set(checking: 900) }
            await #expect(throws: error) { try await limit.set(durably: 9) }
            let setting = try #require(file.settings(of: .limit).first)
            #expect(throws: error) { try setting.set(9) }
            #expect(throws: error) { try setting.set(text: "9") }
            file.reset(.limit, .zoom)
            #expect(zoom.value == 100 && limit.value == 7)
            await #expect(throws: error) { try await file.flush() }
            try await file.flush()
        }
    }

    @Test("Nobody sees what the file says under a variable: not streams, observers, batches or consistent reads, whoever changes the file")
    func unseen() async throws {
        try await withFile(["APP_LIMIT": "7"], #"{"limit": 5}"#) { file in
            let first = file.withConsistentValues { StoredValue(.limit, storage: file).value }
            let inBatch = file.batch { StoredValue(.limit, storage: file).value }
            #expect(first == 7 && inBatch == 7)
            let limit = StoredValue(.limit, storage: file), zoom = StoredValue(.zoom, storage: file)
            let seen = Collector(limit.values), pairs = Collector(PreferencesFile.values(of: limit, zoom).map { [$0, $1] })
            try await seen.wait(for: [7])
            try await pairs.wait(for: [[7, 100]])
            let other = PreferencesFile.ofAnotherProcess(file.path)
            for number in 1...5 {
                other.batch {
                    StoredValue(.limit, storage: other).set(10 + number)
                    StoredValue(.zoom, storage: other).set(number)
                }
                file.reload()
                #expect(limit.value == 7 && zoom.value == number)
            }
            let isTold = Guarded(false)
            withObservationTracking {
                #expect(limit.isStored)
            } onChange: {
                isTold.withLock { $0 = true }
            }
            other.resetAll()
            file.reload()
            #expect(!limit.isStored && limit.source == .environment)
            try await eventually("the observer was told") { isTold.withLock { $0 } }
            try await pairs.wait(for: [[7, 100]] + (1...5).map { [7, $0] } + [[7, 100]])
            #expect(seen.elements == [7])
        }
    }

    @Test("A variable that two keys claim is logged and ignored, and who has read it reads the file again; schema(of:) traps")
    func twice() async throws {
        try await withFile(["APP_HTTP_PORT": "7"], #"{"http.port": 1, "httpPort": 2}"#) { file in
            let port = StoredValue(key: "http.port", default: 0, storage: file)
            let seen = Collector(port.values)
            try await seen.wait(for: [7])
            #expect(StoredValue(key: "httpPort", default: 0, storage: file).value == 2)
            #expect(port.value == 1 && port.source == .file)
            try await seen.wait(for: [7, 1])
            #expect(StoredValue(key: "http-port", default: 3, storage: file).value == 3)
            let notes = notes(file)
            #expect(notes.first == #"The environment variable APP_HTTP_PORT is ignored, because it could be "http.port" and "httpPort". Rename one of these keys."#)
            port.set(9)
            #expect(port.value == 9)
            try await file.flush()
        }
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            StorageSystem.bootstrap(preferences: .inMemory(), environmentPrefix: "APP_")
            _ = PreferencesFile.standard.schema(of: [AnyStoredKey(StoredKey("http.port", default: 0)), AnyStoredKey(StoredKey("httpPort", default: 0))])
        }
        let text = try trapSentence(result)
        #expect(text.contains(#"the keys "http.port" and "httpPort" have one environment variable, APP_HTTP_PORT"#), "\(text)")
    }

    @Test("A file that is in use before it becomes the standard one gets the variables too, and those who read it are notified")
    func late() async throws {
        try await withTemporaryFolder { folder in
            let file = PreferencesFile.ofAnotherProcess("\(folder)/p.json")
            let limit = StoredValue(.limit, storage: file)
            let seen = Collector(limit.values)
            try await seen.wait(for: [60])
            file.store.add(EnvironmentVariables(prefix: "APP_", ["APP_LIMIT": "7"]))
            #expect(limit.value == 7 && limit.source == .environment)
            try await seen.wait(for: [60, 7])
            file.store.add(EnvironmentVariables(prefix: "APP_", ["APP_LIMIT": "8"]))
            #expect(limit.value == 7)
        }
    }

    @Test("Whoever uses a key first at the same moment as others, and as the variables are laid above the file, misses none")
    func atOnce() async throws {
        for _ in 0..<50 {
            try await withFile(["APP_LIMIT": "7"], #"{"limit": 5}"#) { file in
                DispatchQueue.concurrentPerform(iterations: 8) { _ in #expect(StoredValue(.limit, storage: file).value == 7) }
            }
            try withTemporaryFolder { folder in
                let file = PreferencesFile.ofAnotherProcess("\(folder)/p.json")
                let values = (0..<8).map { _ in StoredValue(.limit, storage: file) }
                DispatchQueue.concurrentPerform(iterations: 9) { number in
                    if number == 4 { file.store.add(EnvironmentVariables(prefix: "APP_", ["APP_LIMIT": "7"])) } else { _ = values[number % 8].value }
                }
                #expect(values.allSatisfy { $0.value == 7 && $0.source == .environment })
            }
        }
    }

    @Test("A program that requires valid values is told of a variable that is none")
    func requireValid() async throws {
        try await withFile(["APP_LIMIT": "80x", "APP_NAME": "Eve"]) { file in
            try file.requireValid([AnyStoredKey(.name)])
            let error = #expect(throws: PreferencesError.self) { try file.requireValid([AnyStoredKey](.name, .limit)) }
            let text = "The environment variable APP_LIMIT is passed over for \"limit\": it must be a whole number from 1 to 100. Correct or unset it"
            #expect("\(try #require(error))".contains(text), "\(error as Any)")
        }
        try await withFile(["APP_LIMIT": "500"]) { file in
            let error = #expect(throws: PreferencesError.self) { try file.requireValid([AnyStoredKey(.limit)]) }
            #expect("\(error as Any)".contains("The environment variable APP_LIMIT: it must be a whole number from 1 to 100. Correct it."))
        }
    }

    @Test("A schema names the variable of each key, and of a file without variables none")
    func schema() async throws {
        let keys = [AnyStoredKey(.limit), AnyStoredKey(.name)]
        try await withFile([:]) { file in
            let schema = file.schema(of: keys)
            #expect(schema["properties"]?["limit"]?["x-stored-values-variable"] == "APP_LIMIT")
            #expect(schema["properties"]?["name"]?["x-stored-values-variable"] == "APP_NAME")
            #expect(schema["properties"]?["maximum"]?["x-stored-values-variable"] == nil)
        }
        #expect(!"\(PreferencesFile.inMemory().schema(of: keys))".contains("variable"))
    }

    // Each in a process of its own, for a process has one environment.

    @Test("The variables are copied at bootstrap, and are the standard file's alone; withTemporaryStorage has none")
    func bootstrap() async throws {
        try await withTemporaryFolder { folder in
            await #expect(processExitsWith: .success) { [folder = folder as String] in
                let variables: [String: String] = [
                    "XDG_CONFIG_HOME": folder, "XDG_CONFIG_DIRS": "\(folder)/none", "APP_LIMIT": "7", "APP_EMPTY": "",
                ]
                for (name, value) in variables { setenv(name, value, 1) }
                setenv("APP_ZOOM", "\u{1}", 1)
                unsetenv("STORED_VALUES_PREFERENCES")
                StorageSystem.bootstrap(applicationID: "app", environmentPrefix: "APP_")
                setenv("APP_LIMIT", "8", 1)
                setenv("APP_NAME", "late", 1)
                let limit = StoredValue(.limit)
                try #require(limit.value == 7 && limit.source == .environment)
                try #require(StoredValue(.name).value == "Ada")
                try #require(StoredValue(key: "empty", default: "x").value == "")
                try #require(StoredValue(.zoom).value == 100)
                let others: [PreferencesFile] = [.named("editor"), PreferencesFile(path: "\(folder)/p.json"), .inMemory()]
                for other in others {
                    let limit = StoredValue(.limit, storage: other)
                    try #require(limit.value == 60 && limit.source == .code)
                }
                try #require(PreferencesFile(path: folder + "/app/preferences.json")[.limit] == 7)
                try await withTemporaryStorage {
                    try #require(limit.value == 60 && limit.source == .code)
                    limit.set(9)
                    try await limit.flush()
                    try #require(limit.value == 9)
                    try #require(StoredValue(.limit, storage: .named("editor")).value == 60)
                }
                try #require(limit.value == 7)
            }
            await #expect(processExitsWith: .success) { [folder = folder as String] in
                let variables: [String: String] = ["XDG_CONFIG_HOME": folder, "XDG_CONFIG_DIRS": "\(folder)/none", "APP_LIMIT": "7"]
                for (name, value) in variables { setenv(name, value, 1) }
                StorageSystem.bootstrap(applicationID: "app", preferences: .named("mine"), environmentPrefix: "APP_")
                try #require(StoredValue(.limit).value == 7)
                try #require(PreferencesFile.named("mine")[.limit] == 7)
            }
            await #expect(processExitsWith: .success) {
                for name in ["HOME", "XDG_CONFIG_HOME", "STORED_VALUES_PREFERENCES"] { unsetenv(name) }
                setenv("APP_LIMIT", "7", 1)
                StorageSystem.bootstrap(applicationID: "app", environmentPrefix: "APP_")
                try #require(StoredValue(.limit).value == 7)
            }
        }
    }

    @Test("A prefix that no variable can begin with traps, and so does the library's own", arguments: ["", "1A_", "A-", "Ä_", "A=", "STORED_VALUES_", "STORED_VALUES_X_"])
    func badPrefix(prefix: String) async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [prefix = prefix as String] in
            StorageSystem.bootstrap(environmentPrefix: prefix)
        }
        let text = try trapSentence(result)
        #expect(text.contains("bootstrap(environmentPrefix: \"\(prefix)\"): the prefix must"), "\(text)")
    }

    @Test("In a container three variables are set, one of them wrong: two have values, the third is logged, and changes of the two are refused")
    func container() async throws {
        try await withTemporaryFolder { folder in
            try FileManager.default.createDirectory(atPath: "\(folder)/etc/com.example.Editor", withIntermediateDirectories: true)
            try writeFinished(Array(#"{"http.port": 81, "greeting": "hi"}"#.utf8), to: "\(folder)/etc/com.example.Editor/preferences.json")
            let environment = [
                "PATH": "/usr/bin:/bin", "XDG_CONFIG_DIRS": "\(folder)/etc", "XDG_CONFIG_HOME": "\(folder)/data",
                "EDITOR_MAX_CONNECTIONS": "10", "EDITOR_HTTP_PORT": "eighty", "EDITOR_GREETING": "good day",
            ]
            let processes = TestProcesses()
            let service = try processes.start("service", "com.example.Editor", "EDITOR_", environment: environment)
            let settings = #"maxConnections=10 environment, http.port=81 system, greeting="good day" environment"#
            #expect(try await service.line() == settings)
            #expect(service.logs.count == 1, "\(service.logs)")
            #expect(service.logs.first?.contains("EDITOR_HTTP_PORT is passed over for \"http.port\": it must be a whole number") == true)
            let refusal = try await service.ask("maxConnections 20")
            #expect(refusal.contains("EDITOR_MAX_CONNECTIONS has its value"), "\(refusal)")
            #expect(try await service.line() == settings)
            #expect(try await service.ask("http.port 82") == settings.replacing("81 system", with: "82 file"))
            #expect(try await service.ask("flush") == settings.replacing("81 system", with: "82 file"))
            #expect(try contents(ofFile: "\(folder)/data/com.example.Editor/preferences.json") == "{\n  \"http.port\": 82\n}\n")
            // The next start, with the variable corrected.
            let next = try processes.start(
                "service", "com.example.Editor", "EDITOR_", environment: environment.merging(["EDITOR_HTTP_PORT": "80"]) { $1 })
            #expect(try await next.line() == settings.replacing("81 system", with: "80 environment"))
            #expect(next.logs == [])
        }
    }
}

#if Configuration
    import Configuration

    @Suite("Names of variables")
    struct VariableNamesTests {}

    extension VariableNamesTests {
        @Test(
            "A variable of a key is called as swift-configuration calls it",
            arguments: ["port", "maxConnections", "http.port", "http.serverTimeout", "http.user-agent", "URLPath", "baseURL", "http2Port", "utf8Text", "a_b", "a.b.cD"])
        func same(key: String) {
            let variable = EnvironmentVariables.name(of: key)
            let reader = ConfigReader(provider: EnvironmentVariablesProvider(environmentVariables: [variable: "found"]))
            #expect(reader.string(forKey: ConfigKey(key)) == "found", "\(variable)")
        }
    }
#endif

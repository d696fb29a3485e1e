import Foundation
import Testing

@testable import StoredValues

@Suite("The files of a fleet's agent", .hangLimit)
struct FleetFormatsTests {}

extension FleetFormatsTests {
    // MARK: The report

    @Test("A report reads back as it was written")
    func reports() throws {
        let since = Date.now.addingTimeInterval(-1234.567)
        for confirmed in [BootMoment.now, nil] {
            for state in [FleetReport.State.current(revision: 0), .current(revision: .max), .stale(since: since, why: "\"é\" 🙂, etc.")] {
                for (alive, mirror) in [(confirmed, ["a", "b"]), (nil, []), (nil, nil)] as [(BootMoment?, [String]?)] {
                    let report = FleetReport(state: state, confirmed: confirmed, alive: alive, mirror: mirror)
                    #expect(FleetReport(parsing: report.bytes) == report)
                }
            }
        }
    }

    @Test("Reports of older agents are read, and those of this one are what older programs read: more members, and none of theirs changed")
    func olderReports() throws {
        let moment = #"{"boot": "b", "nanoseconds": 1, "date": "2026-11-23T10:00:00Z"}"#
        let old = try #require(FleetReport(parsing: Array("{\"state\": \"current\", \"revision\": 1, \"confirmed\": \(moment)}".utf8)))
        #expect(old.state == .current(revision: 1) && old.confirmed != nil && old.alive == nil && old.mirror == nil)
        let new = try JSONValue(parsing: FleetReport(state: .current(revision: 1), confirmed: .now, alive: .now, mirror: ["a"]).bytes)
        #expect(new["state"] == "current" && new["revision"] == 1 && new["since"] == nil && new["why"] == nil && new["confirmed"]?["nanoseconds"] != nil)
        // What a later one may add.
        #expect(FleetReport(parsing: Array(#"{"state": "current", "revision": 1, "mirror": ["sha256:1"], "more": {}}"#.utf8))?.mirror == ["sha256:1"])
    }

    @Test(
        "What is no whole and sensible report is none",
        arguments: [
            "", "{", "[]", "null", "{}", #"{"state": "current"}"#, #"{"state": "current", "revision": "1"}"#, #"{"state": "current", "revision": -1}"#,
            #"{"state": "current", "revision": 1.5}"#, #"{"state": "current", "revision": 1e99}"#, #"{"state": "fresh", "revision": 1}"#,
            #"{"state": "current", "revision": 1, "confirmed": {}}"#, #"{"state": "current", "revision": 1, "confirmed": 5}"#,
            #"{"state": "current", "revision": 1, "confirmed": {"boot": "b", "nanoseconds": 1, "date": "inf"}}"#,
            #"{"state": "current", "revision": 1, "alive": 5}"#, #"{"state": "current", "revision": 1, "mirror": "a"}"#,
            #"{"state": "current", "revision": 1, "why": "Both."}"#, #"{"state": "stale", "why": "No date."}"#,
            #"{"state": "stale", "since": "2026-11-23T10:00:00Z"}"#, #"{"state": "stale", "since": "2026-11-23T10:00:00Z", "why": ""}"#,
            #"{"state": "stale", "since": "nan", "why": "No date."}"#, #"{"state": "stale", "since": 1e300, "why": "No date."}"#,
            #"{"state": "stale", "since": "soon", "why": "No date."}"#, #"{"state": "current", "revision": 1} x"#,
            "\u{FEFF}{}", "{\"state\": \"stale\", \"since\": \"2026-11-23T10:00:00Z\", \"why\": \"\\ud800\"}",
        ])
    func malformed(text: String) {
        #expect(FleetReport(parsing: Array(text.utf8)) == nil)
    }

    @Test("A report that is too large or not UTF-8 is none")
    func notText() {
        let report = FleetReport(state: .current(revision: 1), confirmed: .now).bytes
        #expect(FleetReport(parsing: report + Array(repeating: 0x20, count: FleetReport.sizeLimit)) == nil)
        #expect(FleetReport(parsing: [0xFF] + report) == nil)
    }

    @Test("A reason steers no terminal, stays on one line and is not endless")
    func reasons() throws {
        let why = "a\u{1B}[31mb\nc\u{2028}d\u{202E}e\u{9B}f" + String(repeating: "x", count: 5000)
        let report = try #require(FleetReport(parsing: FleetReport(state: .stale(since: .now, why: why), confirmed: nil).bytes))
        guard case .stale(_, let read) = report.state else { return #expect(Bool(false)) }
        #expect(read.hasPrefix("a [31mb c d e fxxx") && read.count == 2000)
    }

    // MARK: The moment

    @Test("A moment's age grows; it has none if it is of another boot or lies in the future")
    func moments() throws {
        let moment = BootMoment.now
        let age = try #require(moment.age)
        #expect(age >= .zero && moment.age ?? .zero >= age)
        #expect(try #require(moment.before(by: .milliseconds(20)).age) >= .milliseconds(20))
        #expect(moment.inTheFuture.age == nil && moment.ofAnotherBoot.age == nil)
        #expect(BootMoment(boot: moment.boot, nanoseconds: .min, date: .now).age == nil)
        #expect(BootMoment(boot: "", nanoseconds: 0, date: .now).age == nil)
    }

    // MARK: The mirror

    @Test("A mirror reads back as it was written, and is a preferences file that programs read")
    func mirrors() async throws {
        try await withFleetFiles { files in
            let values: [PreferencesKey: FleetMirror.Value] = [
                "limit": .init(json: 200, version: 0), "window": .init(json: ["width": 1, "list": [.null, true]], version: 3),
                "caf\u{E9}": .init(json: "one", version: 0), "cafe\u{301}": .init(json: "two", version: 1), "nil": .init(json: .null, version: 0),
                "a\"\\\n": .init(json: true, version: 0), "large": .init(json: .number(try #require(JSONNumber(text: "1.10e400"))), version: 0),
            ]
            let mirror = FleetMirror(origin: .init(cluster: "cdf8", revision: 12), values: values)
            #expect(try FleetMirror(parsing: mirror.bytes) == mirror)
            #expect(String(decoding: mirror.bytes, as: UTF8.self).contains(#""$fleet": {"#))

            try FileManager.default.createDirectory(atPath: files.folder.path, withIntermediateDirectories: true)
            let path = files.folder.path + "/p.json"
            try Data(mirror.bytes).write(to: URL(fileURLWithPath: path))
            let file = PreferencesFile(path: path)
            #expect(file.keys == values.keys.map(\.text).distinctKeys)
            #expect(StoredValue(key: "limit", default: 0, storage: file).wrappedValue == 200)
            #expect(StoredValue(key: "caf\u{E9}", default: "", storage: file).wrappedValue == "one")
        }
    }

    @Test("An empty mirror says where it is from; reserved names, which no program reads, stay out of it")
    func emptyMirror() throws {
        let origin = FleetMirror.Origin(cluster: "cdf8", revision: 12), value = FleetMirror.Value(json: 1, version: 1)
        let empty = FleetMirror(origin: origin, values: [:])
        #expect(try FleetMirror(parsing: empty.bytes) == empty)
        let reserved = FleetMirror(origin: origin, values: ["$versions": value, "$fleet": value, "$x": value, "": value])
        #expect(reserved.bytes == empty.bytes)
    }

    @Test(
        "A file that is not JSON, or does not say where it is from, is no mirror",
        arguments: [
            "", "{", "[]", "{}", #"{"$fleet": 1}"#, #"{"$fleet": {"cluster": "c"}}"#, #"{"$fleet": {"cluster": "c", "revision": -1}}"#,
            #"{"$fleet": {"cluster": 1, "revision": 1}}"#, #"{"$fleet": {"cluster": "c", "revision": 1}, "a": "\ud800"}"#,
        ])
    func noMirror(text: String) {
        #expect(throws: (any Error).self) { try FleetMirror(parsing: Array(text.utf8)) }
    }

    // MARK: The folder

    @Test("A folder that is named holds both files; of the standard one's the report is in the runtime folder")
    func folders() throws {
        let named = try #require(FleetFolder("/srv/fleet//"))
        #expect(named.path == "/srv/fleet" && named.mirror(of: "demo") == "/srv/fleet/demo/preferences.json")
        #expect(named.report(of: "demo") == "/srv/fleet/demo/status.json")
        let standard = try #require(FleetFolder("/var/lib/stored-values/fleet/"))
        #expect(standard.mirror(of: "demo") == "/var/lib/stored-values/fleet/demo/preferences.json")
        #expect(standard.report(of: "demo") == "/run/stored-values/fleet/demo/status.json")
        #expect(FleetFolder("/var/lib/stored-values/fleet2")?.report(of: "demo") == "/var/lib/stored-values/fleet2/demo/status.json")
        #expect(FleetFolder("fleet") == nil && FleetFolder("") == nil && FleetFolder("/a\0b") == nil)
    }

    @Test("The environment names the folder; a relative or empty path there counts as not set, and one that is not UTF-8 names none")
    func environment() async {
        await #expect(processExitsWith: .success) {
            let standard = FleetFolder("/var/lib/stored-values/fleet")
            unsetenv("STORED_VALUES_FLEET")
            #expect(FleetFolder() == standard)
            for path in ["", "fleet", "./fleet"] {
                setenv("STORED_VALUES_FLEET", path, 1)
                #expect(FleetFolder() == standard)
            }
            setenv("STORED_VALUES_FLEET", "/srv/fleet", 1)
            #expect(FleetFolder()?.path == "/srv/fleet")
            _ = [CChar](arrayLiteral: 0x2F, -1, 0).withUnsafeBufferPointer { setenv("STORED_VALUES_FLEET", $0.baseAddress!, 1) }  // it is not empty
            #expect(FleetFolder() == nil)
        }
    }
}

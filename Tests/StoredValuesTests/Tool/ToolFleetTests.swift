import Foundation
import Testing

@testable import StoredValues

@Suite("stored-values and a fleet's settings", .hangLimit)
struct ToolFleetTests {}

extension ToolFleetTests {
    private func withFleetTool(_ body: (Tool, FleetFiles) async throws -> Void) async throws {
        try await withTool { tool in
            let files = try FleetFiles(tool.folder + "/fleet")
            try await body(tool.with(["STORED_VALUES_FLEET": files.folder.path]), files)
        }
    }

    /// What doctor says of the settings.
    private func findings(_ tool: Tool) async throws -> [(kind: String, text: String)] {
        let run = try await tool.run("doctor", "--json")
        let json = try #require(JSONValue(text: run.output), "\(run)")
        let findings = try #require(json["findings"]?.arrayValue).filter { $0["section"] == "settings" }
        return try findings.map { (try #require($0["kind"]?.stringValue), try #require($0["text"]?.stringValue)) }
    }

    @Test("doctor lists the mirror, and says nothing of a status where there is no fleet")
    func none() async throws {
        try await withFleetTool { tool, files in
            let findings = try await findings(tool)
            #expect(findings.allSatisfy { $0.kind == "ok" })
            #expect(findings.contains { $0.text == "\(files.mirror) does not exist: no settings of the fleet come from it." })
            #expect(findings.count == 3, "\(findings)")
        }
    }

    @Test("doctor says that they are current, and which keys of the file hide them")
    func current() async throws {
        try await withFleetTool { tool, files in
            try files.mirror(["a": 1, "b": 2, "c d": 3])
            try tool.write(#"{"a": 1, "z": 1}"#)
            try await eventually("doctor comes within 10 s") {
                try files.report(.current(revision: 7))
                return try await findings(tool).contains { $0.kind == "ok" && $0.text == "The fleet's settings are current (revision 7)." }
            }
            func note() async throws -> String? { try await findings(tool).first { $0.kind == "note" }?.text }
            #expect(try await findings(tool).contains { $0.kind == "ok" && $0.text.hasPrefix("\(files.mirror) has settings of the fleet for 3 keys and mode ") })
            #expect(try await note() == "Values of \(tool.file) override the fleet's values: a. To use the fleet's: stored-values reset a --app demo")
            try tool.write(#"{"c d": 0, "b": 0}"#)
            #expect(
                try await note()
                    == "Values of \(tool.file) override the fleet's values: b, c d. To use the fleet's, for each of them: stored-values reset b --app demo")
            let names = (1...25).map { "k\($0)" }.sorted()
            try files.mirror(Dictionary(uniqueKeysWithValues: names.map { (PreferencesKey($0), 1) }))
            try tool.write("{\(names.map { "\"\($0)\": 0" }.joined(separator: ","))}")
            #expect(try await note()?.contains("\(names.prefix(20).joined(separator: ", ")) and 5 more.") == true)
            try tool.write("{}")
            #expect(try await note() == nil)
        }
    }

    @Test("doctor says what to do about settings that may be outdated, were never read or are broken")
    func troubles() async throws {
        try await withFleetTool { tool, files in
            func problems() async throws -> [String] { try await findings(tool).filter { $0.kind == "problem" }.map(\.text) }
            try files.report(.current(revision: 7))
            #expect(try await problems() == ["The fleet's settings were never read here: there are none on this machine yet. Check the agent's log."])
            let since = Date(timeIntervalSince1970: 1000)
            try files.report(.stale(since: since, why: "There is no quorum. Start more members."))
            #expect(try await problems().first?.hasSuffix("on this machine yet. There is no quorum. Start more members.") == true)
            try files.mirror(["a": 1])
            #expect(
                try await problems()
                    == ["The fleet's settings may be outdated since 1970-01-01T00:16:40Z. There is no quorum. Start more members."])
            try FileManager.default.removeItem(atPath: files.report)
            let silent = try await problems()
            #expect(silent.count == 1 && silent[0].contains("Start the agent (stored-values-fleet agent)"), "\(silent)")
            try tool.write("{ broken", to: files.mirror)
            let broken = try await problems()
            #expect(broken.count == 1 && broken[0].hasPrefix("The settings of the fleet in \(files.mirror) are not used: they are not JSON: "), "\(broken)")
            #expect(try await tool.run("doctor").status == 1)
        }
    }

    @Test("list marks what is the fleet's, get reads it, reset uncovers it, and path --json names its file")
    func commands() async throws {
        try await withFleetTool { tool, files in
            try files.mirror(["a": 1, "b": 2])
            try tool.write(#"{"b": 3, "c": 3}"#, to: "\(tool.folder)/etc/demo/preferences.json")
            try await tool.run("set", "a", "5")
            #expect(try await tool.run("list").output == "a\t5\nb\t2\nc\t3\n")
            try await tool.run("reset", "a")
            #expect(try await tool.run("get", "a").output == "1\n")
            let terminal = try tool.with(["NO_COLOR": "1"]).start("list", columns: 80)
            #expect(try await terminal.end() == 0)
            #expect(terminal.lines == ["a  1  (fleet)", "b  2  (fleet)", "c  3  (system-wide default)"])
            let paths = try #require(JSONValue(text: await tool.run("path", "--json").output))
            #expect(paths["fleet"] == .string(files.mirror) && paths["path"] == .string(tool.file))
            #expect(paths["system-wide"] == [.string("\(tool.folder)/etc/demo/preferences.json")])
            let other = try #require(JSONValue(text: await tool.run("path", "--json", "--file", tool.file).output))
            #expect(other["fleet"] == nil && other["system-wide"] == [])
        }
    }

    @Test("secret reads the fleet's secrets of the program by this machine's key, and changes none")
    func secrets() async throws {
        try await withFleetTool { tool, files in
            let key = "\(tool.folder)/fleet.key", id = SecretIdentifier(service: "demo", account: "token")
            makeKeyFile(key)
            var sealed = try SealedSecrets(nil, key: .file(key), place: "here")
            try sealed.set(TestSecret.secret(), for: id, label: "")
            try files.mirror(["a": 1])
            try writeFinished(sealed.sealed(), to: files.folder.secrets(of: "demo"))
            for tool in [tool.with(["STORED_VALUES_KEYRING": "fleet:\(key)"]), tool] {
                let keyring = tool.environment["STORED_VALUES_KEYRING"] == "fleet:\(key)" ? [] : ["--keyring", "fleet:\(key)"]
                #expect(try await tool.run(["secret", "list"] + keyring).output == "token\n")
                let secret = try await tool.run(["secret", "get", "token"] + keyring)
                #expect(secret.status == 0 && secret.output == TestSecret.text(), "status \(secret.status)")
                #expect(try await tool.run(["secret", "remove", "token"] + keyring).status == 77)
                // A shell asks with the words that were typed.
                let typed = ["stored-values", "secret", "get"] + keyring + [""]
                let question = ["---completion", "secret", "get", "--", "positional@0", "\(typed.count - 1)", "0"] + typed
                let names = try await tool.with(["SAP_SHELL": "bash"]).run(question)
                #expect(names.output.words == "token", "\(names)")
            }
            let doctor = try await tool.with(["STORED_VALUES_KEYRING": "fleet:\(key)"]).run("doctor", "--file", tool.file)
            #expect(doctor.output.words.contains("The keyring answers and holds 1 secret of demo."), "\(doctor)")
        }
    }
}

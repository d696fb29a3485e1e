#if Fleet
    import Foundation
    import StoredValues
    import Testing

    @testable import StoredValuesFleet

    /// Servers that are not etcd, or not well.
    @Suite("A fleet's commands and agent at a server that is not etcd", .hangLimit)
    struct FleetWrongServerTests {}

    extension FleetWrongServerTests {
        /// What a wrong server says to everything, and the exit statuses that tell of it.
        struct Case: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let answer: WrongEtcd.Answer
            var statuses: [Int32] = [78]
            /// Whether an agent gets it, too: it asks as commands do, so that one answer of each kind is enough.
            var isForAgents = false
        }

        private static let header = #""header": {"cluster_id": "1", "member_id": "1", "revision": "7", "raft_term": "1"}"#

        static let cases: [Case] = [
            Case(testDescription: "a web page", answer: .init("<html>Hello</html>", headers: ["Content-Type: text/html"]), isForAgents: true),
            Case(testDescription: "a page that is missing", answer: .init("404 page not found\n", status: "404 Not Found")),
            Case(testDescription: "nothing", answer: .init("")),
            Case(testDescription: "null", answer: .init("null")),
            Case(testDescription: "another object", answer: .init(#"{"hello": "world"}"#), isForAgents: true),
            Case(testDescription: "a list", answer: .init("[{}]")),
            Case(testDescription: "half an answer", answer: .init("{\(header), \"kvs\": [{\"key\": \""), isForAgents: true),
            Case(testDescription: "numbers as JSON's", answer: .init(#"{"header": {"cluster_id": 1, "revision": 7}}"#)),
            Case(testDescription: "a revision below zero", answer: .init(#"{"header": {"cluster_id": "1", "revision": "-7"}}"#)),
            Case(testDescription: "a revision that is too large", answer: .init(#"{"header": {"cluster_id": "1", "revision": "99999999999999999999"}}"#)),
            Case(testDescription: "keys that are not base64", answer: .init("{\(header), \"kvs\": [{\"key\": \"%\", \"value\": \"%\"}]}")),
            Case(testDescription: "arrays without end", answer: .init(String(repeating: "[", count: 1 << 20))),
            Case(testDescription: "bytes that are no text", answer: .raw("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n", [0xFF, 0, 0xC0, 0x80])),
            Case(testDescription: "no HTTP", answer: .raw("SSH-2.0-OpenSSH_9.2p1\r\n"), statuses: [69, 75, 78], isForAgents: true),
            Case(testDescription: "no answer", answer: .raw(""), statuses: [69, 75], isForAgents: true),
            Case(testDescription: "half a header", answer: .raw("HTTP/1.1 200 OK\r\nContent-"), statuses: [69, 75, 78]),
            Case(testDescription: "less than was announced", answer: .raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}"), statuses: [69, 75, 78]),
            Case(testDescription: "more than anybody may send", answer: .raw("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999\r\n\r\n{"), statuses: [78]),
            Case(
                testDescription: "a trouble of its own", answer: .init("oops", status: "500 Internal Server Error"), statuses: [69, 75],
                isForAgents: true),
            Case(
                testDescription: "words that steer a terminal",
                answer: .init(#"{"error": "x", "code": 9, "message": "\u001b[31m\nred\u0007"}"#, status: "400 Bad Request"), statuses: [69],
                isForAgents: true),
        ]

        @Test("Commands print nothing, change nothing and say so in one line that steers no terminal; they end by themselves", arguments: cases)
        func commands(wrong: Case) async throws {
            try await withTemporaryFolder { folder in
                let server = try WrongEtcd { _ in wrong.answer }
                let environment = ["STORED_VALUES_APP": "x", "STORED_VALUES_FLEET_ENDPOINTS": server.endpoint]
                try await withThrowingTaskGroup { group in
                    for command in [["get", "a"], ["list"], ["log"], ["set", "a", "1"], ["reset", "a"]] {
                        group.addTask {
                            let run = try await FinishedProgram.run([FleetTool.path] + command, environment: environment, in: folder)
                            #expect(wrong.statuses.contains(run.status) && run.output == "", "\(command): \(run)")
                            #expect(run.errors.split(separator: "\n").count == 1 && !run.errors.contains("\u{1B}"), "\(command): \(run)")
                        }
                    }
                    try await group.waitForAll()
                }
                withExtendedLifetime(server) {}
            }
        }

        @Test(
            "A log that says again and again that there is more, and does not go on or is another one, is not read for ever",
            arguments: ["/stored-values/x/log/999999999999999-a", "/stored-values/x/log0", "/a"])
        func endlessLog(key: String) async throws {
            let entry = #"{"key": "\#(Data(key.utf8).base64EncodedString())", "mod_revision": "7"}"#
            let answer = WrongEtcd.Answer("{\(Self.header), \"kvs\": [\(entry)], \"more\": true, \"count\": \"2\"}")
            let server = try WrongEtcd { _ in answer }
            try await withTemporaryFolder { folder in
                let run = try await FleetTool(in: folder, endpoints: [server.endpoint]).run("log", "--app", "x")
                #expect(run.status == 78 && run.output == "" && run.errors.contains("did not answer as etcd's JSON gateway does"), "\(run)")
            }
            withExtendedLifetime(server) {}
        }

        @Test("An agent keeps its mirror, is stale, and is current again when etcd answers", arguments: cases.filter { $0.isForAgents })
        func agent(wrong: Case) async throws {
            try await withFleet(isSecure: false) { fleet in
                try await fleet.run("set", "limit", "1")
                let machine = try fleet.machine("web-1")
                let first = try machine.startAgent()
                try await machine.wait(for: ["limit": "1"])
                try await first.kill()
                let server = try WrongEtcd { _ in wrong.answer }
                let said = machine.words.count
                let second = try machine.startAgent("--endpoints", server.endpoint)
                try await eventually("it has asked") { machine.words.dropFirst(said).contains("trying again") }
                guard case .stale? = try machine.report()?.state else { return #expect(Bool(false), "not stale") }
                #expect(try machine.values() == ["limit": "1"])
                #expect(!machine.words.contains("\u{1B}"))
                try await second.kill()
                withExtendedLifetime(server) {}
                _ = try machine.startAgent()
                try await machine.waitUntilCurrent()
            }
        }

        @Test("A server that answers and closes the connection at once ends no program, however often")
        func closing() async {
            await #expect(processExitsWith: .success) {
                let server = try WrongEtcd { _ in .raw("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n", [0xFF, 0, 0xC0, 0x80]) }
                try await withThrowingTaskGroup { group in
                    for _ in 0..<8 {
                        let fleet = try Fleet(endpoints: [server.endpoint], applicationID: "x")
                        group.addTask {
                            for _ in 0..<50 {
                                await #expect(throws: FleetError.self) { _ = try await fleet.value("limit", as: Int.self) }
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                withExtendedLifetime(server) {}
            }
        }

        // MARK: Watching

        @Test(
            "An error that ends a watch without a line break is heard, and everything is read again",
            arguments: [
                (#"{"error":{"grpc_code":14,"http_code":503,"message":"etcdserver: no leader","http_status":"Service Unavailable"}}"#, "no leader"),
                (#"{"error":{"grpc_code":7,"http_code":403,"message":"etcdserver: permission denied"}}"#, "permission denied"),
                ("{\"result\": {\(header), \"created\": true}}\n{\"error\":{\"grpc_code\":14,\"message\":\"etcdserver: no leader\"}}", "no leader"),
                ("{\"result\": {\(header), \"created\": true}}\n{\"result\": {\(header), \"canceled\": true, \"cancel_reason\": \"enough\"}}\n", "enough"),
                ("{\"result\": {\(header), \"created\": true}}\n{\"result\": {\(header), \"canceled\": true, \"compact_revision\": \"9\"}}\n", "compacted"),
                (#"{"result": {"header": {"cluster_id": "2", "revision": "7"}, "created": true}}"# + "\n", "another cluster"),
                (#"{"result": {"header": {"cluster_id": "1", "revision": "3"}, "created": true}}"# + "\n", "went back"),
                ("{\"result\": {\(header), \"events\": [{\"kv\": {\"key\": \"YQ==\", \"mod_revision\": \"7\"}}]}}\n", "repeated a revision"),
                ("not JSON\n", "did not answer as etcd's JSON gateway does"),
                ("{\"result\": ", "did not answer as etcd's JSON gateway does"),
                ("", "ended the watch"),
            ])
        func watch(stream: String, words: String) async throws {
            try await withAgent(watching: .stream(stream, staysOpen: false)) { machine, server in
                try await eventually("it watches again") { server.paths.filter { $0 == "/v3/watch" }.count > 1 }
                try await eventually("it says \(words)") { machine.words.contains(words) }
                let paths = server.paths
                let second = try #require(paths.lastIndex(of: "/v3/watch"))
                #expect(paths[..<second].filter { $0 == "/v3/kv/range" }.count > 1)
            }
        }

        @Test("A line of a watch that never ends is not kept for ever")
        func endless() async throws {
            let stream = "{\"result\": {\(Self.header), \"created\": true}}\n" + String(repeating: "x", count: 2 << 20)
            let server = try WrongEtcd { _ in .stream(stream, staysOpen: true) }
            let gateway = try EtcdGateway([EtcdEndpoint(server.endpoint)], FleetAccess(), lineLimit: 1 << 20)
            var error: EtcdError?
            // A busy machine may not get the beginning in time; then again.
            repeat {
                error = await #expect(throws: EtcdError.self) { try await gateway.watch(Data("a".utf8), from: 1) { _ in } }
            } while error?.reason == .unreachable
            #expect(error?.reason == .notEtcd, "\(String(describing: error))")
            #expect(try EtcdGateway([EtcdEndpoint(server.endpoint)], FleetAccess()).lineLimit == EtcdConnection.answerLimit)
            withExtendedLifetime(server) {}
        }

        @Test("A watch that stays silent is given up, and never said to be fresh")
        func silent() async throws {
            try await withAgent(watching: .stream("", staysOpen: true)) { machine, server in
                try await eventually("it watches again") { server.paths.filter { $0 == "/v3/watch" }.count > 1 }
                try await eventually("it says why") { machine.words.contains("did not begin in time") }
            }
        }

        @Test("A watch that has missed a change is given up: the cluster is asked, on another connection, whether it has")
        func missed() async throws {
            let created = "{\"result\": {\(Self.header), \"created\": true}}\n"
            let later = #"{"header": {"cluster_id": "1", "revision": "8"}, "kvs": [{"key": "YQ==", "mod_revision": "8"}], "count": "1"}"#
            try await withAgent(watching: .stream(created, staysOpen: true), laterRange: later) { machine, server in
                try await eventually("it watches again") { server.paths.filter { $0 == "/v3/watch" }.count > 1 }
                try await eventually("it says why") { machine.words.contains("has missed a change") }
            }
        }

        /// Runs `body` with an agent of a server that has no settings, and one answer to every watch; and `laterRange` to what the
        /// agent asks beside a watch. What it reads before one, perhaps several times, is everything, without a limit.
        private func withAgent(
            watching answer: WrongEtcd.Answer, laterRange: String? = nil, _ body: (FleetMachine, WrongEtcd) async throws -> Void
        ) async throws {
            let server = try WrongEtcd { path, request in
                guard path != "/v3/watch" else { return answer }
                let words = String(decoding: request, as: UTF8.self)
                let isReading = words.contains(#""range_end""#) && !words.contains(#""limit""#)
                return .init((isReading ? nil : laterRange) ?? "{\(Self.header)}")
            }
            try await withTemporaryFolder { folder in
                let processes = TestProcesses()
                let tool = try FleetTool(in: "\(folder)/web-1", endpoints: [server.endpoint])
                let machine = FleetMachine("web-1", groups: [], tool, processes)
                _ = try machine.startAgent()
                try await body(machine, server)
                withExtendedLifetime(processes) {}
            }
        }
    }
#endif

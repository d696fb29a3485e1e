#if Fleet
    import Foundation
    import StoredValues
    @testable import StoredValuesFleet
    import StoredValuesSupport
    import Testing

    /// Addresses of which not all lead to the cluster that is meant.
    @Suite("Fleet: members that answer wrongly", .hangLimit)
    struct FleetMembersTests {}

    extension FleetMembersTests {
        /// What a wrong address leads to.
        enum Wrong: String, CaseIterable, CustomTestStringConvertible {
            case gatewayOff = "a member without its JSON gateway"
            case otherCluster = "another cluster with other settings"
            case otherLogins = "another cluster that wants a login"
            case missingPage = "a page that is missing"
            case webPage = "a web page"
            case garbage = "bytes that are no text"
            case redirection = "a redirection"
            case refusal = "a refusal of its own"

            var testDescription: String { rawValue }

            /// What a server says that is no etcd; nil for those that are.
            var answer: WrongEtcd.Answer? {
                switch self {
                case .gatewayOff, .otherCluster, .otherLogins: nil
                case .missingPage: .init("404 page not found\n", status: "404 Not Found")
                case .webPage: .init("<html>Hello</html>", headers: ["Content-Type: text/html"])
                case .garbage: .raw("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n", [0xFF, 0, 0xC0, 0x80])
                case .redirection: .init("", status: "302 Found", headers: ["Location: http://127.0.0.1:1/"])
                case .refusal: .init(#"{"error":"no","code":3,"message":"etcdserver: something new"}"#, status: "400 Bad Request")
                }
            }
        }

        /// Runs `body` with a cluster in the clear that is right, and a wrong address. Another cluster there must be as it was afterwards.
        private func withWrong(_ wrong: Wrong, _ body: (_ fleet: TestFleet, _ bad: String) async throws -> Void) async throws {
            try await withFleet(isSecure: false) { fleet in
                if let answer = wrong.answer {
                    let server = try WrongEtcd { _ in answer }
                    try await body(fleet, server.endpoint)
                    withExtendedLifetime(server) {}
                } else {
                    let options = wrong == .gatewayOff ? ["--enable-grpc-gateway=false"] : []
                    // The turn is the right one's: two that waited for each other would wait for ever.
                    try await withEtcd(isSecure: false, token: "another", options: options, waitsForTurn: false) { other in
                        try await other.put("\(TestFleet.settings)everyone/limit", #"{"value": 99}"#)
                        if wrong == .otherLogins { try await other.requireLogin() }
                        let before = try await other.entries()
                        try await body(fleet, other.endpoints[0])
                        #expect(try await other.entries() == before)
                    }
                }
            }
        }

        /// Commands and clients work by the right member and a wrong one. The values of `limit` in a cluster count from 1.
        private func works(_ limit: Int, in fleet: TestFleet, beside bad: String, _ wrong: Wrong) async throws {
            let good = fleet.etcd.endpoints[0]
            func run(_ arguments: String...) async throws -> String { try await fleet.run(arguments + ["--endpoints", "\(good),\(bad)"]) }
            // Each process begins with a member of its own choice.
            _ = try await run("set", "limit", "\(limit)")
            for _ in 0..<4 { try await reads("\(limit)", in: fleet, at: "\(good),\(bad)") }
            #expect(try await run("list").contains("\(limit)"), "\(wrong)")
            let client = try fleet.client([good, bad])
            let updated = try await client.update("limit", default: 0) { $0 += 0 }
            #expect(updated == limit, "\(wrong)")
            #expect(try await fleet.records().count == 2 * limit, "\(wrong)")
        }

        /// A new process reads this from the members at `addresses`. One that has waited for a member for as long as it may could have taken another
        /// cluster, and is run again.
        private func reads(_ limit: String, in fleet: TestFleet, at addresses: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
            while true {
                let start = ContinuousClock.now, read = try await fleet.run("get", "limit", "--endpoints", addresses)
                guard read != "\(limit)\n", ContinuousClock.now - start >= EtcdGateway.attemptLimit else {
                    return #expect(read == "\(limit)\n", "\(addresses)", sourceLocation: sourceLocation)
                }
            }
        }

        /// Agents ask as commands do, so that one server's wrong answer is enough for them, and these are for commands only.
        private static let forCommands = [Wrong.missingPage, .garbage, .redirection, .refusal]

        @Test("Commands work as long as one member is right, whatever another server says")
        func oneIsRightBesideServers() async throws {
            // One cluster for all: none of these servers has anything to do with it.
            try await withFleet(isSecure: false) { fleet in
                for (number, wrong) in Self.forCommands.enumerated() {
                    let answer = try #require(wrong.answer)
                    let server = try WrongEtcd { _ in answer }
                    try await works(number + 1, in: fleet, beside: server.endpoint, wrong)
                    withExtendedLifetime(server) {}
                }
            }
        }

        @Test(
            "Commands and agents work as long as one member is right, and again when it is back",
            arguments: Wrong.allCases.filter { !forCommands.contains($0) })
        func oneIsRight(wrong: Wrong) async throws {
            try await withWrong(wrong) { fleet, bad in
                let good = fleet.etcd.endpoints[0], addresses = "\(good),\(bad)"
                try await works(1, in: fleet, beside: bad, wrong)
                guard wrong != .otherLogins else { return }  // .otherCluster is enough for agents
                let machines = try (1...4).map { try fleet.machine("web-\($0)") }
                for machine in machines { _ = try machine.startAgent("--endpoints", addresses) }
                for machine in machines {
                    try await machine.wait(for: ["limit": "1"])
                    try await machine.waitUntilCurrent()
                }
                try await fleet.etcd.killAll()
                for machine in machines {
                    try await machine.waitUntilStale(good)
                    try await machine.waitUntilStale(bad)
                    #expect(try machine.values() == ["limit": "1"])
                }
                try await fleet.etcd.start()
                for machine in machines { try await machine.waitUntilCurrent() }
                try await works(2, in: fleet, beside: bad, wrong)
                for machine in machines { try await machine.wait(for: ["limit": "2"]) }
            }
        }

        @Test("Of two clusters a new process takes that of the member that is named first, and a machine stays with its own", arguments: [false, true])
        func order(isGoodFirst: Bool) async throws {
            try await withWrong(.otherCluster) { fleet, bad in
                let good = fleet.etcd.endpoints[0], addresses = (isGoodFirst ? [good, bad] : [bad, good]).joined(separator: ",")
                try await fleet.run("set", "limit", "1")
                let machine = try fleet.machine("web-1")
                let first = try machine.startAgent()
                try await machine.waitUntilCurrent()
                try await first.kill()
                for _ in 0..<4 { try await reads(isGoodFirst ? "1" : "99", in: fleet, at: addresses) }
                let second = try machine.startAgent("--endpoints", addresses)
                try await machine.waitUntilCurrent()
                #expect(try machine.values() == ["limit": "1"])
                // However long its cluster is away.
                try await fleet.etcd.killAll()
                try await machine.waitUntilStale("\(bad) belongs to another cluster")
                try await second.kill()
                _ = try machine.startAgent("--endpoints", addresses)
                try await machine.waitUntilStale("\(bad) belongs to another cluster")
                #expect(try machine.values() == ["limit": "1"])
                try await fleet.etcd.start()
                try await machine.waitUntilCurrent()
                #expect(try machine.values() == ["limit": "1"])
            }
        }

        @Test("Of three members two tell which cluster is meant, wherever they are named; where two belong to another one, that is taken over")
        func majority() async throws {
            try await withWrong(.otherCluster) { fleet, bad in
                let good = fleet.etcd.endpoints[0], port = fleet.etcd.members[0].port
                let goods = [good, "http://localhost:\(port)"]
                try await fleet.run("set", "limit", "1")
                for addresses in [[bad] + goods, [goods[0], bad, goods[1]]] {
                    let list = addresses.joined(separator: ",")
                    for _ in 0..<4 { try await reads("1", in: fleet, at: list) }
                    // Each member has 2 s, which a busy machine may need for other things.
                    try await eventually("status tells of the other cluster") {
                        let status = try await fleet.tool().run("status", "--endpoints", list)
                        return status.output.contains("\(bad) belongs to another cluster") && status.status == 0
                    }
                }
                let machine = try fleet.machine("web-1")
                let first = try machine.startAgent()
                try await machine.waitUntilCurrent()
                try await first.kill()
                try await fleet.etcd.killAll()
                let other = bad.replacingOccurrences(of: "127.0.0.1", with: "localhost")
                _ = try machine.startAgent("--endpoints", [good, bad, other].joined(separator: ","))
                try await machine.wait(for: ["limit": "99"])
                try await machine.waitUntilCurrent()
            }
        }

        private static let token = SecretIdentifier(service: TestFleet.application, account: "token")

        @Test("A change of a setting or a secret is not sent to another cluster, and is made once in the one that is meant")
        func changes() async throws {
            try await withWrong(.otherCluster) { fleet, bad in
                let proxy = try WrongEtcd(before: fleet.etcd.members[0]) { path, number in
                    path == "/v3/kv/txn" && number % 3 < 2 ? (number % 3 == 0 ? .unanswered : .lost) : .answered
                }
                let client = try fleet.client([proxy.endpoint, bad]), secrets = client.secrets(key: .file(try fleet.newKey()))
                for number in 1...3 {
                    let limit = try await client.update("limit", default: 0) { $0 += 1 }
                    #expect(limit == number)
                    try await secrets.write(Secret("\(number)".utf8), for: Self.token, label: "")
                }
                #expect(try await fleet.records().count == 6)
                #expect(try await fleet.secretsGeneration() == 3)
                #expect(try await secrets.read(Self.token) == Secret("3".utf8))
                withExtendedLifetime(proxy) {}
            }
        }

        @Test(
            "A change of a setting or a secret that a member makes and then answers as no etcd does is made once, by whichever member is asked next",
            arguments: [
                Wrong.missingPage, .webPage, .garbage, .redirection, .refusal,
            ])
        func once(wrong: Wrong) async throws {
            let answer = try #require(wrong.answer)
            try await withFleet(isSecure: false) { fleet in
                let count = Guarded(0)
                let proxies = try (0..<2).map { _ in
                    try WrongEtcd(before: fleet.etcd.members[0]) { path, _ in
                        guard path == "/v3/kv/txn" else { return .answered }
                        let number = count.withLock { count in
                            defer { count += 1 }
                            return count
                        }
                        return number % 2 == 0 ? .answeredOtherwise(answer) : .answered
                    }
                }
                let client = try fleet.client(proxies.map(\.endpoint)), secrets = client.secrets(key: .file(try fleet.newKey()))
                for number in 1...5 {
                    let limit = try await client.update("limit", default: 0) { $0 += 1 }
                    #expect(limit == number)
                    try await secrets.write(Secret("\(number)".utf8), for: Self.token, label: "")
                }
                #expect(try await fleet.records().count == 10)
                #expect(try await fleet.secretsGeneration() == 5)
                // Where all do, it may have happened.
                let lasting = try WrongEtcd(before: fleet.etcd.members[0]) { path, _ in path == "/v3/kv/txn" ? .answeredOtherwise(answer) : .answered }
                let alone = try fleet.client([lasting.endpoint])
                let error = await #expect(throws: FleetError.self) { try await alone.update("limit", default: 0) { $0 += 1 } }
                #expect(error?.outcome == .mayHaveHappened, "\(String(describing: error))")
                #expect(try await fleet.records().count == 11)
                withExtendedLifetime((proxies, lasting)) {}
            }
        }

        @Test("Where each member answers wrongly, that is the answer, and names who said what")
        func allAreWrong() async throws {
            let servers = try [Wrong.missingPage, .webPage, .redirection].map { wrong in
                let answer = try #require(wrong.answer)
                return try WrongEtcd { _ in answer }
            }
            var client = try Fleet(endpoints: servers.map(\.endpoint), applicationID: "x")
            client.timeout = hangLimit  // on a busy machine the first answer alone can take longer than a call may
            let error = await #expect(throws: FleetError.self) { try await client.set("limit", to: 1) }
            #expect(error?.reason == .misconfigured && error?.outcome == .didNotHappen)
            let words = error?.description ?? ""
            for (server, part) in zip(servers, ["answered with status 404", "did not answer as etcd's JSON gateway does", "answered with status 302"]) {
                #expect(words.contains("\(server.endpoint) \(part)"), "\(words)")
            }
            withExtendedLifetime(servers) {}
        }
    }
#endif

#if Fleet
    import Foundation
    import StoredValues
    import StoredValuesFleet
    import StoredValuesSupport
    import Testing

    /// What is known of a change when answers are lost on the way.
    @Suite("Fleet: outcomes", .hangLimit)
    struct FleetOutcomeTests {}

    extension FleetOutcomeTests {
        private static let transactions = "/v3/kv/txn"

        /// Runs `body` with a client that is one proxy away from etcd.
        private func withProxy(
            _ fate: @escaping @Sendable (_ fleet: TestFleet, _ path: String, _ number: Int) -> WrongEtcd.Fate,
            _ body: (TestFleet, Fleet, WrongEtcd) async throws -> Void
        ) async throws {
            try await withFleet(isSecure: false) { fleet in
                let proxy = try WrongEtcd(before: fleet.etcd.members[0]) { path, number in fate(fleet, path, number) }
                try await body(fleet, fleet.client([proxy.endpoint]), proxy)
                withExtendedLifetime(proxy) {}
            }
        }

        @Test("Where no member can be reached, a change did not happen")
        func unreachable() async throws {
            let ports = try (0..<3).map { _ in try LoopbackPort() }
            var client = try Fleet(endpoints: ports.map { "http://127.0.0.1:\($0.number)" }, applicationID: "x")
            client.timeout = .milliseconds(200)
            for attempt in 0..<3 {
                let error = await #expect(throws: FleetError.self) {
                    switch attempt {
                    case 0: try await client.set("limit", to: 1)
                    case 1: try await client.update("limit", default: 0) { $0 += 1 }
                    default: _ = try await client.value("limit", as: Int.self)
                    }
                }
                #expect(error?.reason == .unavailable && error?.outcome == .didNotHappen)
                #expect(error?.description.contains("\"limit\"") == true && error?.description.contains("Check that the cluster runs") == true)
            }
        }

        @Test("A change whose answer is lost is made once: the call finds out that it was made", arguments: [1, 2, 5])
        func lostAnswers(count: Int) async throws {
            try await withProxy { _, path, number in
                path == Self.transactions && number < count ? .unanswered : .answered
            } _: { fleet, client, proxy in
                let first = try await client.update("limit", default: 60) { $0 += 1 }
                #expect(first == 61)
                #expect(proxy.paths.filter { $0 == Self.transactions }.count > count)
                #expect(try await fleet.run("get", "limit") == "61\n")
                #expect(try await fleet.records().count == 1)
                let second = try await client.update("limit", default: 60) { $0 += 1 }
                #expect(second == 62)
                #expect(try await fleet.records().count == 2)
            }
        }

        @Test("So is one that others have changed again meanwhile")
        func overtaken() async throws {
            try await withProxy { fleet, path, number in
                guard path == Self.transactions else { return .answered }
                // On a busy machine the next attempt comes before this one is made.
                Self.wait {
                    if number > 0 { try await eventually("an attempt is made") { try await !fleet.records().isEmpty } }
                    if number == 1 { try await fleet.client().set("limit", to: 100) }
                    if number > 1 { try await eventually("others have changed it") { try await fleet.records().count > 1 } }
                }
                return number < 2 ? .unanswered : .answered
            } _: { fleet, client, _ in
                let limit = try await client.update("limit", default: 60) { $0 += 1 }
                #expect(limit == 61)
                #expect(try await fleet.run("get", "limit") == "100\n")
                #expect(try await fleet.records().map { $0["changes"]?.arrayValue?.first?["to"] } == [61, 100])
            }
        }

        @Test("A first attempt that comes after others have stored and removed the same is made once, and the call returns what it stored")
        func delayed() async throws {
            let isDecidedAgain = OneShot<Void>(), others = Counter()
            try await withProxy { fleet, path, number in
                guard path == Self.transactions else { return .answered }
                // The first attempt waits; before the second one others store something, and before the third one they remove it.
                let turn = number == 0 ? 0 : others.next()
                Self.wait {
                    switch turn {
                    case 0: await isDecidedAgain.wait(cancelled: ())
                    case 1: try await fleet.client().set("limit", to: 100)
                    case 2:
                        // On a busy machine the next attempts come before others are through with their changes.
                        try await eventually("others have stored theirs") { try await fleet.client().value("limit", as: Int.self) == 100 }
                        try await fleet.client().reset("limit")
                        isDecidedAgain.answer(())
                        try await eventually("the first attempt is made") { try await fleet.client().value("limit", as: Int.self) == 61 }
                    default: try await eventually("all three are through") { try await fleet.records().count > 2 }
                    }
                }
                return .answered
            } _: { fleet, client, _ in
                let limit = try await client.update("limit", default: 60) { $0 += 1 }
                #expect(try await fleet.run("get", "limit") == "\(limit)\n")
                #expect(try await fleet.records().count == 3)
            }
        }

        @Test("What others change just before is not lost: the closure runs again on that")
        func conflict() async throws {
            try await withProxy { fleet, path, number in
                guard path == Self.transactions else { return .answered }
                Self.wait {
                    if number < 3 { try await fleet.client().update("limit", default: 0) { $0 += 10 } }
                    // On a busy machine it comes before the first three are through with their changes.
                    if number > 2 { try await eventually("all changes of others are made") { try await fleet.records().count > 2 } }
                }
                return .answered
            } _: { fleet, client, _ in
                let seen = Guarded<[Int]>([])
                let limit = try await client.update("limit", default: 60) { limit in
                    seen.withLock { $0.append(limit) }
                    limit += 1
                }
                // Where a request takes longer than one may, the next one finds several changes.
                let items = seen.withLock { $0 }
                #expect(limit == 31 && items.first == 60 && items.last == 30 && items.count > 1, "\(items)")
                #expect(try await fleet.records().count == 4)
            }
        }

        @Test("Where no answer comes, a change may have happened, whether it has or not; it says so", arguments: [true, false])
        func unknown(happens: Bool) async throws {
            try await withFleet(isSecure: false) { fleet in
                let fate: WrongEtcd.Fate = happens ? .unanswered : .lost
                let error = try await Self.error(in: fleet, fate) { try await $0.set("limit", to: 61) } as? FleetError
                #expect(error?.reason == .unavailable && error?.outcome == .mayHaveHappened, "\(String(describing: error))")
                #expect(error?.description.contains("read the setting before you repeat it") == true)
                if happens { try await eventually("it is made") { try await !fleet.records().isEmpty } }
                let limit = try await fleet.client().value("limit", as: Int.self)
                #expect(limit == (happens ? 61 : nil))
                #expect(try await fleet.records().isEmpty == !happens)
            }
        }

        @Test("A change that etcd makes and then says that there is no space left for has happened")
        func lastSpace() async throws {
            try await withProxy { _, path, _ in
                path == Self.transactions ? .refused("etcdserver: mvcc: database space exceeded") : .answered
            } _: { fleet, client, _ in
                // Whether it was made is asked within 2 s, which a busy machine may need for other things.
                var count = 0
                try await eventually("it is known what became of it") {
                    count += 1
                    do {
                        let limit = try await client.update("limit-\(count)", default: 60) { $0 += 1 }
                        #expect(limit == 61)
                        return true
                    } catch let error as FleetError where error.reason == .noSpace && error.outcome == .mayHaveHappened { return false }
                }
                #expect(try await fleet.records().count == count)
            }
            // Where nobody can be asked what became of it, it may have. What is asked before it may be asked several times.
            let isMade = Guarded(false)
            try await withProxy { _, path, _ in
                guard path == Self.transactions else { return isMade.withLock { $0 } ? .lost : .answered }
                isMade.withLock { $0 = true }
                return .refused("etcdserver: mvcc: database space exceeded")
            } _: { _, client, _ in
                let error = await #expect(throws: FleetError.self) { try await client.update("limit", default: 60) { $0 += 1 } }
                #expect(error?.reason == .noSpace && error?.outcome == .mayHaveHappened)
            }
        }

        @Test("A cancelled call ends soon, and says whether its change may have happened")
        func cancelled() async throws {
            let isThere = OneShot<Void>()
            try await withProxy { _, path, _ in
                guard path == Self.transactions else { return .answered }
                isThere.answer(())
                return .ignored
            } _: { fleet, client, _ in
                let task = Task { try await client.set("limit", to: 1) }
                await isThere.wait(cancelled: ())
                // Sent again and again until then.
                task.cancel()
                let error = await #expect(throws: FleetError.self) { try await task.value }
                #expect(error?.reason == .cancelled && error?.outcome == .mayHaveHappened)

                // Another proxy: what the first call has sent may come to the other one only now.
                let proxy = try WrongEtcd(before: fleet.etcd.members[0]) { _, _ in .answered }
                let late = try fleet.client([proxy.endpoint])
                let early = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    try await late.set("limit", to: 2)
                }
                let other = await #expect(throws: FleetError.self) { try await early.value }
                #expect(other?.reason == .cancelled && other?.outcome == .didNotHappen)
                #expect(!proxy.paths.contains(Self.transactions))
                let entries = try await fleet.etcd.entries(TestFleet.settings)
                #expect(entries.isEmpty)
            }
        }

        @Test("A secret is stored once, too, and its error says that it may have been")
        func secrets() async throws {
            try await withProxy { _, path, number in
                path == Self.transactions && number < 3 ? .unanswered : .answered
            } _: { fleet, client, _ in
                let secrets = client.secrets(key: .file(try fleet.newKey())), id = SecretIdentifier(service: "s", account: "token")
                try await secrets.write(TestSecret.secret(), for: id, label: "")
                #expect(try await fleet.records().map { $0["changes"] } == [[["secret": "token"]]])
                #expect(try await secrets.read(id) == TestSecret.secret())
            }
            try await withFleet(isSecure: false) { fleet in
                let key = try fleet.newKey(), id = SecretIdentifier(service: "s", account: "token")
                let error = try await Self.error(in: fleet, .unanswered) {
                    try await $0.secrets(key: .file(key)).write(TestSecret.secret(), for: id, label: "")
                }
                guard case KeyringError.other("etcd", 4, let message) = error else { return #expect(Bool(false), "\(error)") }
                #expect(message.contains("may have been made") && TestSecret.traces(in: message).isEmpty)
                // What was handed on may be on its way still.
                try await eventually("it is stored") { try await fleet.secrets(key).read(id) == TestSecret.secret() }
            }
        }

        /// What a change throws whose transaction came to a proxy that does `fate` with it. Where the time was too short for that,
        /// there is another attempt with more, and with another proxy: what this one has sent may still arrive.
        private static func error(
            in fleet: TestFleet, _ fate: WrongEtcd.Fate, _ change: (Fleet) async throws -> Void
        ) async throws -> any Error {
            var timeout = Duration.milliseconds(500)
            while true {
                let proxy = try WrongEtcd(before: fleet.etcd.members[0]) { path, _ in path == Self.transactions ? fate : .answered }
                let client = try fleet.client([proxy.endpoint], timeout: timeout)
                var thrown: (any Error)?
                do { try await change(client) } catch { thrown = error }
                guard let thrown else { throw NothingThrown() }
                if proxy.paths.contains(transactions) { return thrown }
                timeout *= 2
            }
        }

        private struct NothingThrown: Error {}

        /// Lets a request wait for `body`, on a thread that may block.
        private static func wait(for body: @escaping @Sendable () async throws -> Void) {
            let isDone = DispatchSemaphore(value: 0)
            Task {
                do { try await body() } catch { Issue.record(error) }
                isDone.signal()
            }
            isDone.wait()
        }
    }
#endif

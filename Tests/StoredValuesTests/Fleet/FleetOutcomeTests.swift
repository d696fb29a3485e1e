#if Fleet
    import Foundation
    import StoredValues
    import StoredValuesFleet
    import StoredValuesSupport
    import Testing

    /// What is known of a change when answers are lost on the way.
    @Suite("Fleet: outcomes", .hangLimit)
    struct FleetOutcomeTests {
        private static let transactions = "/v3/kv/txn"

        /// Runs `body` with a client that is one proxy away from etcd.
        private func withProxy(
            patience: Duration = hangLimit, _ fate: @escaping @Sendable (_ path: String, _ number: Int) -> WrongEtcd.Fate,
            _ body: (TestFleet, Fleet, WrongEtcd) async throws -> Void
        ) async throws {
            try await withFleet(isSecure: false) { fleet in
                let proxy = try WrongEtcd(before: fleet.etcd.members[0], fate)
                try await body(fleet, fleet.client([proxy.endpoint], patience: patience), proxy)
                withExtendedLifetime(proxy) {}
            }
        }

        @Test("Where no member can be reached, a change did not happen")
        func unreachable() async throws {
            let ports = try (0..<3).map { _ in try LoopbackPort() }
            var client = try Fleet(endpoints: ports.map { "http://127.0.0.1:\($0.number)" }, applicationID: "x")
            client.patience = .milliseconds(200)
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
            try await withProxy { path, number in path == Self.transactions && number < count ? .unanswered : .answered } _: { fleet, client, proxy in
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
            let others = Guarded<Fleet?>(nil)
            try await withProxy { path, number in
                guard path == Self.transactions, number < 2 else { return .answered }
                if number == 1 { Self.change(others.withLock { $0 }) { try await $0.set("limit", to: 100) } }
                return .unanswered
            } _: { fleet, client, _ in
                try others.withLock { $0 = try fleet.client() }
                let limit = try await client.update("limit", default: 60) { $0 += 1 }
                #expect(limit == 61)
                #expect(try await fleet.run("get", "limit") == "100\n")
                #expect(try await fleet.records().map { $0["changes"]?.arrayValue?.first?["to"] } == [61, 100])
            }
        }

        @Test("What others change just before is not lost: the closure runs again on that")
        func conflict() async throws {
            let others = Guarded<Fleet?>(nil)
            try await withProxy { path, number in
                if path == Self.transactions, number < 3 { Self.change(others.withLock { $0 }) { try await $0.update("limit", default: 0) { $0 += 10 } } }
                return .answered
            } _: { fleet, client, _ in
                try others.withLock { $0 = try fleet.client() }
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
            try await withProxy(patience: .milliseconds(500)) { path, _ in
                path != Self.transactions ? .answered : happens ? .unanswered : .lost
            } _: { fleet, client, proxy in
                let error = try await Self.error(from: client, at: proxy) { try await $0.set("limit", to: 61) } as? FleetError
                #expect(error?.reason == .unavailable && error?.outcome == .mayHaveHappened, "\(String(describing: error))")
                #expect(error?.description.contains("read the setting before you repeat it") == true)
                let limit = try await fleet.client().value("limit", as: Int.self)
                #expect(limit == (happens ? 61 : nil))
                #expect(try await fleet.records().isEmpty == !happens)
            }
        }

        @Test("A cancelled call ends soon, and says whether its change may have happened")
        func cancelled() async throws {
            let isThere = OneShot<Void>()
            try await withProxy { path, _ in
                guard path == Self.transactions else { return .answered }
                isThere.answer(())
                return .ignored
            } _: { fleet, client, proxy in
                let task = Task { try await client.set("limit", to: 1) }
                await isThere.wait(cancelled: ())
                // Sent again and again until then.
                task.cancel()
                let error = await #expect(throws: FleetError.self) { try await task.value }
                #expect(error?.reason == .cancelled && error?.outcome == .mayHaveHappened)

                let requests = proxy.paths.count
                let early = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    try await client.set("limit", to: 2)
                }
                let other = await #expect(throws: FleetError.self) { try await early.value }
                #expect(other?.reason == .cancelled && other?.outcome == .didNotHappen)
                #expect(!proxy.paths.dropFirst(requests).contains(Self.transactions))
                let entries = try await fleet.etcd.entries(TestFleet.settings)
                #expect(entries.isEmpty)
            }
        }

        @Test("A secret is stored once, too, and its error says that it may have been")
        func secrets() async throws {
            try await withProxy { path, number in path == Self.transactions && number < 3 ? .unanswered : .answered } _: { fleet, client, _ in
                let secrets = client.secrets(key: .file(try fleet.newKey())), id = SecretIdentifier(service: "s", account: "token")
                try await secrets.write(TestSecret.secret(), for: id, label: "")
                #expect(try await fleet.records().map { $0["changes"] } == [[["secret": "token"]]])
                #expect(try await secrets.read(id) == TestSecret.secret())
            }
            try await withProxy(patience: .milliseconds(500)) { path, _ in path == Self.transactions ? .unanswered : .answered } _: { fleet, client, proxy in
                let key = try fleet.newKey(), id = SecretIdentifier(service: "s", account: "token")
                let error = try await Self.error(from: client, at: proxy) {
                    try await $0.secrets(key: .file(key)).write(TestSecret.secret(), for: id, label: "")
                }
                guard case KeyringError.other("etcd", 4, let message) = error else { return #expect(Bool(false), "\(error)") }
                #expect(message.contains("may have been made") && TestSecret.traces(in: message).isEmpty)
                #expect(try await fleet.secrets(key).read(id) == TestSecret.secret())
            }
        }

        /// What a change throws that was sent to etcd; where the time was too short for that, it is made again.
        private static func error(
            from client: Fleet, at proxy: WrongEtcd, _ change: (Fleet) async throws -> Void
        ) async throws -> any Error {
            while true {
                do { try await change(client) } catch {
                    if proxy.paths.contains(transactions) { return error }
                    continue
                }
                throw NothingThrown()
            }
        }

        private struct NothingThrown: Error {}

        /// Makes a change while a request waits, on a thread that may block.
        private static func change(_ fleet: Fleet?, _ body: @escaping @Sendable (Fleet) async throws -> Void) {
            let isDone = DispatchSemaphore(value: 0)
            Task {
                do { try await body(#require(fleet)) } catch { Issue.record(error) }
                isDone.signal()
            }
            isDone.wait()
        }
    }
#endif

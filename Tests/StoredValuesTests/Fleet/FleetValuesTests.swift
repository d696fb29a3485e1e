#if Fleet
    import Foundation
    import StoredValues
    import StoredValuesFleet
    import Testing

    @Suite("Fleet: values", .hangLimit)
    struct FleetValuesTests {}

    extension FleetValuesTests {
        @Test("values has what is set now, then each change of that target alone, nil while nothing is set")
        func values() async throws {
            try await withFleet { fleet in
                let client = try fleet.client()
                var values = client.values("limit", as: Int.self).makeAsyncIterator()
                #expect(try await values.next() == .some(nil))
                try await client.set("limit", to: 1)
                #expect(try await values.next() == 1)
                try await client.set("limit", to: 9, for: .group("canary"))
                try await client.set("limits", to: 9)
                for number in 2...20 { try await client.set("limit", to: number) }
                for number in 2...20 { #expect(try await values.next() == number) }
                try await client.reset("limit")
                #expect(try await values.next() == .some(nil))
                var others = client.values("limit", as: Int.self, for: .group("canary")).makeAsyncIterator()
                #expect(try await others.next() == 9)
            }
        }

        @Test("Any number of streams leave connections for changes and questions")
        func manyStreams() async throws {
            try await withFleet(isSecure: false) { fleet in
                let client = try fleet.client(), names = (0..<20).map { "limit\($0)" }
                try await withThrowingTaskGroup { group in
                    for name in names {
                        group.addTask {
                            var values = client.values(name, as: Int.self).makeAsyncIterator()
                            guard try await values.next() == .some(nil) else { return false }
                            return try await values.next() == 1
                        }
                    }
                    try await eventually("all watch") { try await fleet.etcd.members[0].metric("etcd_debugging_mvcc_watcher_total") == names.count }
                    for name in names { try await client.set(name, to: 1) }
                    for try await isRight in group { #expect(isRight) }
                }
            }
        }

        @Test("What does not decode, is of a newer version, or is no setting yields nothing; the next change does")
        func broken() async throws {
            try await withFleet { fleet in
                let client = try fleet.client(), key = "\(TestFleet.settings)everyone/limit"
                try await fleet.etcd.put(key, "not a record")
                var values = client.values("limit", as: Int.self).makeAsyncIterator()
                try await client.set("limit", to: "many")
                try await fleet.etcd.put(key, #"{"value": 5, "version": 3}"#)
                try await fleet.etcd.put(key, "{")
                try await client.set("limit", to: 1)
                #expect(try await values.next() == 1)
            }
        }

        @Test("The stream goes on when etcd was started again, and has what changed meanwhile")
        func restarted() async throws {
            try await withFleet { fleet in
                let client = try fleet.client()
                try await client.set("limit", to: 1)
                var values = client.values("limit", as: Int.self).makeAsyncIterator()
                #expect(try await values.next() == 1)
                for number in 2...3 {
                    try await fleet.etcd.killAll()
                    try await fleet.etcd.start()
                    try await client.set("limit", to: number)
                    #expect(try await values.next() == number)
                }
                try await fleet.etcd.saveSnapshot(to: "\(fleet.folder)/snapshot")
                try await client.set("limit", to: 4)
                #expect(try await values.next() == 4)
                try await fleet.etcd.restoreSnapshot(from: "\(fleet.folder)/snapshot")
                #expect(try await values.next() == 3)
                try await client.set("limit", to: 5)
                #expect(try await values.next() == 5)
            }
        }

        @Test("A client that was cut off, and nobody told, hears what it missed when it is back", .heavy)
        func cutOff() async throws {
            try await withTemporaryFolder { folder in
                let network = try await TestNetwork("one", "client", "office", in: folder)
                try await withFleet(on: [network.host("one")]) { fleet in
                    var office = try fleet.tool("office")
                    office.launcher = try network.host("office").launcher
                    try await office.setLimit(to: 1)
                    let ca = try #require(fleet.etcd.ca)
                    let client = try fleet.processes.start(
                        "watch-cluster", fleet.etcd.endpoints[0], ca.file, ca.client.file, ca.client.key, "limit",
                        by: network.host("client").launcher)
                    #expect(try await client.line() == "1")
                    try await office.setLimit(to: 2)
                    #expect(try await client.line() == "2")
                    try await network.split(["one", "office"], ["client"])
                    // Etcd forgets the client's connection, and cannot tell it.
                    try await fleet.etcd.members[0].kill()
                    try await fleet.etcd.start()
                    try await office.setLimit(to: 3)
                    try await network.heal()
                    #expect(try await client.line() == "3")
                    try await office.setLimit(to: 4)
                    #expect(try await client.line() == "4")
                }
                withExtendedLifetime(network) {}
            }
        }

        @Test("Without the right, with a wrong name or password, and for a wrong target the stream throws; it does not wait in vain")
        func refused() async throws {
            let reader = EtcdCluster.Role(name: "reader", password: TestSecret.text("reader"), rights: [("read", TestFleet.settings + "everyone/")])
            let stranger = EtcdCluster.Role(name: "stranger", password: TestSecret.text("stranger"), rights: [("read", "/other/")])
            let wrong = EtcdCluster.Role(name: "reader", password: TestSecret.text("wrong"), rights: [])
            try await withFleet { fleet in
                try await fleet.etcd.requireLogin(reader, stranger)
                func first(_ role: EtcdCluster.Role?, _ target: FleetTarget = .everyone) async throws -> Int?? {
                    var values = try fleet.client(user: role).values("limit", as: Int.self, for: target).makeAsyncIterator()
                    return try await values.next()
                }
                #expect(try await first(reader) == .some(nil))
                for (role, target) in [(stranger, FleetTarget.everyone), (wrong, .everyone), (nil, .everyone), (reader, .host("web-1"))] {
                    let error = await #expect(throws: FleetError.self) { try await first(role, target) }
                    #expect(error?.reason == .accessDenied && error?.outcome == .didNotHappen, "\(String(describing: error))")
                }
                let error = await #expect(throws: FleetError.self) { try await first(reader, .group("a/b")) }
                #expect(error?.reason == .misconfigured)
            }
        }

        @Test("A cancelled task's stream ends")
        func cancelled() async throws {
            try await withFleet { fleet in
                let client = try fleet.client()
                let (seen, continuation) = AsyncStream.makeStream(of: Int?.self)
                let task = Task {
                    for try await item in client.values("limit", as: Int.self) { continuation.yield(item) }
                }
                var iterator = seen.makeAsyncIterator()
                #expect(await iterator.next() == .some(nil))
                task.cancel()
                try await task.value
            }
        }
    }
#endif

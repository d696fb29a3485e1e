#if Fleet
    import Foundation
    import StoredValues
    import StoredValuesFleet

    /// Settings of a fleet, on an etcd at this address of this machine, with an agent that keeps a mirror for this program.
    func fleetTasks(in temporary: TemporaryFolder, etcd address: String) async throws -> [Comparison] {
        let fleet = try Fleet(endpoints: [address], applicationID: StorageSystem.applicationID)
        let etcd = BareEtcd(address)
        let numbers = Numbers()
        let settings = "/stored-values/\(StorageSystem.applicationID)/settings/everyone/"

        try await fleet.set("hot", to: true)
        let hot = StoredValue(key: "hot", default: false)
        for await isTrue in hot.values where isTrue { break }
        let local = StoredValue(key: "local", default: false, storage: try SampleSettings(count: 50).write("fleet", in: temporary).preferences)
        local.set(true)

        // The stream of this program, which reads the mirror that the agent, another process, writes.
        let mirrored = StoredValue(key: "stamp", default: 0)
        let writer = try Conversation(Role.command("stamp"))
        let file = BareFile(folder: try temporary.folder("fleet-other"), name: "preferences.json")
        let other = StoredValue(key: "stamp", default: 0, storage: file.preferences)
        return [
            Comparison(
                task: "Read a fleet's Bool, hot",
                ours: .timed("ours") { count in for _ in 0..<count { use(hot.wrappedValue) } },
                limit: .init(.timed("a stored Bool of this machine") { count in for _ in 0..<count { use(local.wrappedValue) } }, bar: 1.1)),
            Comparison(
                task: "Change a fleet's setting, alone",
                ours: .awaited("ours") { count in for _ in 0..<count { try await fleet.set("limit", to: numbers.next) } },
                limit: .init(
                    .awaited("range and transaction, AsyncHTTPClient") { count in
                        for _ in 0..<count { try await etcd.change("/bare/limit", to: "\(numbers.next)") }
                    }, bar: 1.3)),
            Comparison(
                task: "A fleet's change until another program's stream has it",
                ours: Contestant("ours") { count in
                    var sum = 0.0
                    var stamps = mirrored.values.makeAsyncIterator()
                    _ = await stamps.next(isolation: nil)
                    for _ in 0..<count {
                        let begin = Int(Role.nanoseconds())
                        try await etcd.put(settings + "stamp", #"{"value": \#(begin)}"#)
                        while let stamp = await stamps.next(isolation: nil), stamp != begin {}
                        sum += Double(Int(Role.nanoseconds()) - begin) / 1e9
                    }
                    return sum
                },
                limit: .init(
                    Contestant("a bare watch, then another process's write until a stream has it") { count in
                        var sum = 0.0
                        var arrivals = try await etcd.arrivals("/bare/stamp").makeAsyncIterator()
                        var stamps = other.values.makeAsyncIterator()
                        var last = await stamps.next(isolation: nil)
                        for _ in 0..<count {
                            let begin = Role.nanoseconds()
                            try await etcd.put("/bare/stamp", "\(begin)")
                            sum += Double((try await arrivals.next() ?? begin) - begin) / 1e9
                            try writer.tell(file.folder)
                            sum += await delay(of: &stamps, after: &last)
                        }
                        return sum
                    }, bar: 1.5)),
        ]
    }
#else
    /// Left out where the trait is off: Benchmarks/run --without-fleet.
    func fleetTasks(in temporary: TemporaryFolder, etcd address: String) async throws -> [Comparison] { [] }
#endif

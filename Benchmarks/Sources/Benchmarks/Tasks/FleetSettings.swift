#if Fleet
    import AsyncHTTPClient
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
                ours: Contestant("ours") { count in try await arrivals(count, of: mirrored, etcd, settings) },
                limit: .init(
                    Contestant("a bare watch, then another process's write until a stream has it") { count in
                        var sum = 0.0
                        var arrivals = try await etcd.arrivals("/bare/stamp")
                        var stamps = other.values.makeAsyncIterator()
                        var last = await stamps.next(isolation: nil)
                        for _ in 0..<count {
                            let begin = Role.nanoseconds()
                            try await etcd.put("/bare/stamp", "\(begin)")
                            _ = try await arrivals.next()
                            sum += Double(Role.nanoseconds() - begin) / 1e9
                            try writer.tell(file.folder)
                            sum += await delay(of: &stamps, after: &last)
                        }
                        return sum
                    }, bar: 1.5)),
        ] + manySettings(etcd, mirrored: mirrored, settings: settings)
    }

    /// The same where there are 50,000 settings. They are put by the first of these tasks, after all others were measured.
    private func manySettings(_ etcd: BareEtcd, mirrored: StoredValue<Int>, settings: String) -> [Comparison] {
        let fill = Once {
            try await etcd.fill(settings, 50_000)
            for name in ["Benchmarks", "Few"] { try await etcd.put("/stored-values/\(name)/settings/revision", "log/1") }
            try await etcd.fill("/stored-values/Few/settings/everyone/", 50)
            // The agent and this program have all of them now.
            _ = try await arrivals(1, of: mirrored, etcd, settings)
        }
        func confirmation(_ name: String, of application: String) -> Contestant {
            Contestant(name) { count in
                try await fill.value()
                return try await seconds { for _ in 0..<count { try await etcd.read("/stored-values/\(application)/settings/revision") } }
            }
        }
        func whole(_ name: String, of application: String) -> Contestant {
            let prefix = "/stored-values/\(application)/settings"
            return .awaited(name) { count in for _ in 0..<count { try await etcd.read("\(prefix)/", to: "\(prefix)0") } }
        }
        return [
            Comparison(
                task: "A confirmation among 50,000 settings",
                ours: confirmation("ours", of: "Benchmarks"),
                limit: .init(confirmation("among 50", of: "Few"), bar: 1.5),
                peers: [.init(whole("the question for all of them, once a minute", of: "Benchmarks"))]),
            Comparison(
                task: "etcd's processor time for a second of 1,000 agents, 50,000 settings",
                ours: Contestant("ours") { count in
                    try await fill.value()
                    let before = try BareEtcd.processorTime()
                    for _ in 0..<count {
                        // Every agent asks every 2.5 s for one key, and once a minute for everything.
                        for _ in 0..<400 { try await etcd.read("/stored-values/Benchmarks/settings/revision") }
                        for _ in 0..<17 { try await etcd.read("/stored-values/Benchmarks/settings/", to: "/stored-values/Benchmarks/settings0") }
                    }
                    return try BareEtcd.processorTime() - before
                },
                limit: .init(Contestant("one processor") { Double($0) }, bar: 1), race: Race(rounds: 3...5)),
            Comparison(
                task: "A change among 50,000 settings until another program's stream has it",
                ours: Contestant("ours") { count in
                    try await fill.value()
                    return try await arrivals(count, of: mirrored, etcd, settings)
                },
                limit: .init(Contestant("the goal") { Double($0) * 0.15 }, bar: 1)),
        ]
    }

    /// How long so many changes take to get to the stream of this program, which reads the mirror that the agent, another process, writes.
    private func arrivals(_ count: Int, of mirrored: StoredValue<Int>, _ etcd: BareEtcd, _ settings: String) async throws -> Double {
        var stamps = mirrored.values.makeAsyncIterator()
        _ = await stamps.next(isolation: nil)
        return try await sum(count) {
            let begin = Int(Role.nanoseconds())
            try await etcd.put(settings + "stamp", #"{"value": \#(begin)}"#)
            while let stamp = await stamps.next(isolation: nil), stamp != begin {}
            return Double(Int(Role.nanoseconds()) - begin) / 1e9
        }
    }

    /// Does something at the first call, for which all wait.
    private actor Once {
        private let body: @Sendable () async throws -> Void
        private var task: Task<Void, any Error>?

        init(_ body: @escaping @Sendable () async throws -> Void) { self.body = body }

        func value() async throws {
            let task = task ?? Task { [body] in try await body() }
            self.task = task
            try await task.value
        }
    }
#else
    /// Left out where the trait is off: Benchmarks/run --without-fleet.
    func fleetTasks(in temporary: TemporaryFolder, etcd address: String) async throws -> [Comparison] { [] }
#endif

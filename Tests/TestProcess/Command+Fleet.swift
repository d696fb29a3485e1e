import FoundationEssentials
import StoredValues

#if Fleet
    import StoredValuesFleet
#endif

extension Command {
    static let fleet =
        fleetWriters
        + [
            // Prints each value of the number in the program's own file.
            Command("watch-setting", "key") { arguments in
                for await item in StoredValue(key: arguments[0], default: 0).values { say("\(item)") }
            },
            // Prints how fresh the fleet's settings are, and each change of that.
            Command("watch-fleet") { _ in
                for await status in PreferencesFile.standard.fleetStatuses { say(words(status)) }
            },
        ]

    /// The status in one line, which begins with its name.
    static func words(_ status: FleetStatus) -> String {
        switch status {
        case .none: "none"
        case .never: "never"
        case .current(let revision): "current \(revision)"
        case .stale(let since, let why): "stale since \(since.timeIntervalSince1970): \(why)"
        }
    }

    #if Fleet
        private static let fleetWriters = [
            // Changes the numbers "own-<name>" and "common" so many times in turn, each by compare-and-swap, whatever happens to the
            // cluster, and prints how often each was acknowledged.
            Command("change-fleet", "endpoints", "ca", "certificate", "key", "name", "times") { arguments in
                let fleet = try writer(arguments)
                var (own, common) = (0, 0)
                for _ in 0..<(try number(arguments[5])) {
                    try await fleet.update("own-\(arguments[4])", default: 0) { $0 += 1 }
                    own += 1
                    try await fleet.update("common", default: 0) { $0 += 1 }
                    common += 1
                }
                say("\(own) \(common)")
            },
            // Stores the secret "own-<name>" so many times, whatever happens to the cluster, and prints how often that was acknowledged.
            Command("change-fleet-secret", "endpoints", "ca", "certificate", "key", "name", "times", "secrets key") { arguments in
                let secrets = try writer(arguments).secrets(key: .file(arguments[6]))
                let id = SecretIdentifier(service: StorageSystem.applicationID, account: "own-\(arguments[4])")
                var count = 0
                for _ in 0..<(try number(arguments[5])) {
                    try await secrets.write(Secret("\(count + 1)".utf8), for: id, label: "")
                    count += 1
                }
                say("\(count)")
            },
            // Prints each value of the number that is set for everyone in the cluster, "nothing" while none is.
            Command("watch-cluster", "endpoints", "ca", "certificate", "key", "name") { arguments in
                let fleet = try Fleet(
                    endpoints: arguments[0].split(separator: ",").map(String.init),
                    access: FleetAccess(authorities: arguments[1], certificate: arguments[2], key: arguments[3]))
                for try await item in fleet.values(arguments[4], as: Int.self) { say(item.map(String.init) ?? "nothing") }
            },
            // Runs so many agents of hosts "web-0", "web-1" and so on, whose folders are called by these numbers.
            Command("run-agents", "endpoints", "ca", "certificate", "key", "folder", "count") { arguments in
                let access = FleetAccess(authorities: arguments[1], certificate: arguments[2], key: arguments[3])
                try await withThrowingTaskGroup { group in
                    for host in 0..<(try number(arguments[5])) {
                        guard let folder = FleetFolder("\(arguments[4])/\(host)") else { throw BadArgument(text: arguments[4]) }
                        let agent = try FleetAgent(
                            FleetAgent.Configuration(
                                applicationID: "TestProcess", host: "web-\(host)", folder: folder,
                                endpoints: arguments[0].split(separator: ",").map(String.init), access: access)
                        ) { _ in }
                        group.addTask { try await agent.run() }
                    }
                    try await group.waitForAll()
                }
            },
        ]

        /// Who changes what is in the cluster of the first four arguments, by the name that follows.
        private static func writer(_ arguments: [String]) throws -> Fleet {
            var fleet = try Fleet(
                endpoints: arguments[0].split(separator: ",").map(String.init),
                access: FleetAccess(authorities: arguments[1], certificate: arguments[2], key: arguments[3]), writer: arguments[4])
            fleet.timeout = .seconds(600)
            return fleet
        }
    #else
        private static let fleetWriters: [Command] = []
    #endif
}

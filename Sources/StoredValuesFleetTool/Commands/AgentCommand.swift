#if Fleet
    import ArgumentParser
    import StoredValues
    import StoredValuesFleet
    import StoredValuesSupport
    import StoredValuesToolSupport

    struct AgentCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "agent", abstract: "Keep a copy of the fleet's settings on this machine, until stopped.",
            discussion: """
                Each machine runs one agent, or each pod one in a container of its own. Programs read the copy and see each change; \
                while the cluster is away they keep the last settings. Of two groups that set the same key, the one named later wins. \
                SIGTERM, SIGINT and SIGHUP end it, and its report says so.
                """)

        @Option(name: .shortAndLong, help: ArgumentHelp("A program whose settings are kept; may be repeated.", valueName: "id"))
        var app: [String] = []
        @Option(help: "A group that this machine belongs to; may be repeated.") var group: [String] = []
        @Option(help: "The name of this machine; by default its host name.") var host: String?
        @OptionGroup var connection: ConnectionOptions
        @Option(help: ArgumentHelp("Where programs look for the settings; by default /var/lib/stored-values/fleet.", valueName: "folder"), completion: .directory)
        var folder: String?

        func run() async throws {
            let end = try EndSignals.arrive()  // before anything else, so that none is lost
            let ids = app.isEmpty ? [ApplicationOptions.id(nil)].compactMap(\.self) : app
            guard !ids.isEmpty else {
                throw Failure(.usage, "Name the program: --app <id>, or \(ApplicationOptions.variable)=<id> in the environment.")
            }
            guard let folder = FleetFolder(folder) else {
                throw Failure(.misconfigured, "--folder and STORED_VALUES_FLEET must name an absolute path in UTF-8.")
            }
            let addresses = try connection.addresses(), access = try connection.access()
            let agents = try ids.map { id in
                var configuration = FleetAgent.Configuration(applicationID: id, groups: group, folder: folder, endpoints: addresses, access: access)
                if let host { configuration.host = host }
                return try FleetAgent(configuration) { Output.error.remark($0) }
            }
            try await withThrowingTaskGroup { group in
                for agent in agents { group.addTask { try await agent.run() } }
                group.addTask {
                    await end.wait(cancelled: ())
                    throw Ended()
                }
                do {
                    while try await group.next() != nil {}
                } catch is Ended {
                    group.cancelAll()
                    while try await group.next() != nil {}
                }
            }
        }

        private struct Ended: Error {}
    }
#endif

#if Fleet
    import ArgumentParser
    import StoredValues
    import StoredValuesFleet
    import StoredValuesSupport
    import StoredValuesToolSupport

    #if canImport(Glibc)
        import Glibc
    #else
        import Musl
    #endif

    struct AgentCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "agent", abstract: "Keep a copy of the fleet's settings on this machine, until stopped.",
            discussion: """
                Each machine runs one agent, or each pod one in a container of its own. Programs read the copy and see each change; \
                while the cluster is unreachable they keep the last settings. Of two groups that set the same key, the one named later wins. \
                With --secrets-public-key it takes over only secrets that were signed with that key; give two while the key is being changed. \
                SIGTERM, SIGINT and SIGHUP end it, and its report says so.
                """)

        @Option(name: .shortAndLong, help: ArgumentHelp("A program whose settings are kept; may be repeated.", valueName: "id"))
        var app: [String] = []
        @Option(help: "A group that this machine belongs to; may be repeated.") var group: [String] = []
        @Option(help: "The name of this machine; by default its host name.") var host: String?
        @OptionGroup var connection: ConnectionOptions
        @Option(help: ArgumentHelp("Where programs look for the settings; by default /var/lib/stored-values/fleet.", valueName: "folder"), completion: .directory)
        var folder: String?
        @Option(
            help: ArgumentHelp(
                "Take over only secrets signed with this key, as secret public-key prints it; may be repeated. By default $\(Self.publicKeys), separated by commas.",
                valueName: "key"))
        var secretsPublicKey: [String] = []

        @Flag(help: "Say in the cluster how this machine is, at most once a minute and when that changes; status shows it.") var report = false

        static let publicKeys = "STORED_VALUES_FLEET_SECRETS_PUBLIC_KEY"

        func run() async throws {
            let end = try EndSignals.arrive()  // before anything else, so that none is lost
            let ids = app.isEmpty ? [try ApplicationOptions.id(nil)].compactMap(\.self) : app
            guard !ids.isEmpty else {
                throw Failure(.usage, "Name the program: --app <id>, or \(ApplicationOptions.variable)=<id> in the environment.")
            }
            guard let folder = FleetFolder(folder) else {
                throw Failure(.misconfigured, "--folder and STORED_VALUES_FLEET must name an absolute path in UTF-8.")
            }
            let addresses = try connection.addresses(), access = try connection.access(), signers = try signers()
            let agents = try ids.map { id in
                var configuration = FleetAgent.Configuration(applicationID: id, groups: group, folder: folder, endpoints: addresses, access: access)
                if let host { configuration.host = host }
                (configuration.secretsPublicKeys, configuration.reportsToCluster) = (signers, report)
                return try FleetAgent(configuration) { Output.error.message($0) }
            }
            let running = Task {
                try await withThrowingTaskGroup { group in
                    for agent in agents { group.addTask { try await agent.run() } }
                    // Not waitForAll(), which throws the error of one only after the others have ended, and they run for ever.
                    for try await _ in group {}
                }
            }
            Task {
                await end.wait(cancelled: ())
                running.cancel()
            }
            try await running.value
        }

        private func signers() throws -> [SigningPublicKey] {
            let given = try secretsPublicKey.isEmpty ? [System.environment(Self.publicKeys, mayBeEmpty: true)].compactMap(\.self) : secretsPublicKey
            return try given.flatMap { given -> [SigningPublicKey] in
                let texts = given.replacing(",", by: " ").parts(separatedBy: " ")
                // A script whose key is missing must not turn the check off.
                guard !texts.isEmpty else {
                    throw Failure(
                        .usage, "--secrets-public-key or \(Self.publicKeys) is there, but empty. Leave it out, or use what this prints: stored-values-fleet secret public-key.")
                }
                return try texts.map { text in
                    guard let key = SigningPublicKey(text: text) else {
                        throw Failure(.usage, "\"\(text)\" is not a public key of secrets. Use what this prints: stored-values-fleet secret public-key.")
                    }
                    return key
                }
            }
        }
    }

    /// The signals by which a service manager or a user ends the agent.
    ///
    /// Not a Dispatch source: that is a signalfd, and a thread that does not block the signal, such as SwiftNIO's, gets it instead,
    /// which ends the process (seen with Swift 6.3; signalfd(2)). A handler runs on whichever thread gets it.
    enum EndSignals {
        private static let signals = [SIGTERM, SIGINT, SIGHUP]

        /// From now on, these signals answer the returned question instead of ending the process. Call it once.
        static func arrive() throws(Failure) -> OneShot<Void> {
            let arrived = OneShot<Void>()
            sem_init(arrival, 0, 0)
            do {
                try startThread(named: "end-signals") {
                    while sem_wait(arrival) == -1 {}  // interrupted
                    for number in signals { signal(number, SIG_DFL) }  // a second one ends the process at once
                    arrived.answer(())
                }
            } catch {
                throw Failure(.notSaved, "Could not prepare for signals: no thread can be started (error \(error.rawValue)).")
            }
            for number in signals {
                // Under nohup(1) it is ignored, and must stay so. Handlers can only be compared by their addresses.
                let isIgnored = number == SIGHUP && unsafeBitCast(signal(number, SIG_IGN), to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
                if !isIgnored { signal(number) { _ in _ = sem_post(arrival) } }
            }
            return arrived
        }
    }

    // Sound: made before any handler can post it, and never freed. A handler may not take a lock, but may post this.
    nonisolated(unsafe) private let arrival = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
#endif

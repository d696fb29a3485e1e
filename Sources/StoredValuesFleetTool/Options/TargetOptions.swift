#if Fleet
    import ArgumentParser
    import StoredValuesFleet

    /// The machines that a command is about.
    struct TargetOptions: ParsableArguments {
        @Option(help: "Only the machines of this group.") var group: String?
        @Option(help: "Only this machine.") var host: String?

        func validate() throws {
            guard group == nil || host == nil else { throw ValidationError("Give either --group or --host, not both.") }
        }

        var target: FleetTarget { group.map { .group($0) } ?? host.map { .host($0) } ?? .everyone }
    }
#endif

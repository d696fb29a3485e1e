#if Fleet
    import ArgumentParser
    import StoredValues
    import StoredValuesFleet
    import StoredValuesToolSupport

    struct SetCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Set a value for everyone, or for one group or machine.",
            discussion: """
                JSON is stored as such: 14, true, "14", {"width": 800}. Anything else is stored as a string: dark. Put -- before a value \
                that begins with a dash: set offset -- -5. Where several apply to a machine, the narrower one wins: machine, group, everyone.
                """)

        @Argument(help: "The setting.") var setting: String
        @OptionGroup var value: ValueArgument
        @OptionGroup var fleet: FleetOptions
        @OptionGroup var target: TargetOptions

        func run() async throws {
            let json = try value.json(of: setting)
            let old = try await fleet.fleet().replace(setting, with: json, for: target.target)
            ValueArgument.note(setting, replacing: old, with: json)
        }
    }
#endif

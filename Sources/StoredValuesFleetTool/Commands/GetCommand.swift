#if Fleet
    import ArgumentParser
    import StoredValues
    import StoredValuesFleet
    import StoredValuesToolSupport

    struct GetCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "get", abstract: "Print what is set for everyone, or for one group or machine itself.",
            discussion: "A string is printed without quotes, any other value as JSON. The exit status is 1 if nothing is set.")

        @Argument(help: "The setting.") var setting: String
        @OptionGroup var fleet: FleetOptions
        @OptionGroup var target: TargetOptions
        @Flag(help: "Print strings as JSON too, in quotes.") var json = false

        func run() async throws {
            guard let record = try await fleet.fleet().record(setting, for: target.target) else {
                throw Failure(.absent, "\"\(setting)\" is not set for \(target.target).")
            }
            Output.standard.value(record.value, asJSON: json)
        }
    }
#endif

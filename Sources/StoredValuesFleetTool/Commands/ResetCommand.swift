#if Fleet
    import ArgumentParser
    import StoredValuesFleet
    import StoredValuesToolSupport

    struct ResetCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reset", abstract: "Remove what is set for everyone, or for one group or machine.",
            discussion: "What is set for wider targets shows again, or the machine's or the program's default. Resetting what is not set succeeds.")

        @Argument(help: "The setting.") var setting: String
        @OptionGroup var fleet: FleetOptions
        @OptionGroup var target: TargetOptions

        func run() async throws {
            guard try await fleet.fleet().replace(setting, with: nil, for: target.target) == nil else { return }
            Output.error.note("\"\(setting)\" was not set for \(target.target).")
        }
    }
#endif

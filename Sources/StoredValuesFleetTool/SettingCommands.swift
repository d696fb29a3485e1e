#if Fleet
    import ArgumentParser
    import FoundationEssentials
    import StoredValues
    import StoredValuesFleet
    import StoredValuesSupport
    import StoredValuesToolSupport

    struct ListCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Show all settings, and which machines get them.",
            discussion: """
                With --group or --host, only what is set for that group or machine itself. In a pipe or file, each setting is one line: \
                the key, a tab, for whom, a tab, and the value as JSON. With --at, as they were at that time, by the log, which does not have \
                what etcdctl has changed.
                """)

        @OptionGroup var fleet: FleetOptions
        @OptionGroup var target: TargetOptions
        @OptionGroup var moment: MomentOption
        @Flag(help: "Print a JSON list.") var json = false

        func run() async throws {
            var settings = try await moment.settings(of: fleet.fleet())
            if target.target != .everyone { settings.removeAll { $0.target != target.target } }
            for broken in settings where broken.record == nil {
                Output.error.note("\"\(broken.key)\" for \(broken.target) is not a setting, and machines ignore it. Set it again.")
            }
            for cut in settings where cut.isCut {
                Output.error.note("Of \"\(cut.key)\" for \(cut.target) only the size is known: values of more than 4 KiB are not in the log.")
            }
            let found = settings.compactMap { setting in setting.record.map { (setting, $0) } }
            guard !json else {
                return Output.standard.json(
                    .array(
                        found.map { setting, record in
                            var json = record.json
                            (json["key"], json["for"]) = (.string(setting.key), .string(setting.target.path))
                            if setting.revision > 0 { json["revision"] = JSONValue(setting.revision) }
                            return json
                        }))
            }
            Output.standard.rows(
                found.map { setting, record in
                    (setting.key, record.value, record.time.isEmpty ? "\(setting.target)" : "\(setting.target), by \(record.writer), \(record.time)", "\(setting.target)")
                })
        }
    }

    struct GetCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "get", abstract: "Print what is set for everyone, or for one group or machine itself.",
            discussion: "A string is printed without quotes, any other value as JSON. The exit status is 1 if nothing is set.")

        @Argument(help: "The setting.") var setting: String
        @OptionGroup var fleet: FleetOptions
        @OptionGroup var target: TargetOptions
        @OptionGroup var moment: MomentOption
        @Flag(help: "Print strings as JSON too, in quotes.") var json = false

        func run() async throws {
            guard let record = try await record() else { throw Failure(.absent, "\"\(setting)\" is not set for \(target.target).") }
            Output.standard.value(record.value, asJSON: json)
        }

        private func record() async throws -> FleetRecord? {
            guard moment.at != nil else { return try await fleet.fleet().record(setting, for: target.target) }
            let found = try await moment.settings(of: fleet.fleet()).first { $0.key.isIdentical(to: setting) && $0.target == target.target }
            guard found?.isCut != true else {
                throw Failure(.refused, "What \"\(setting)\" was at that time is not known: values of more than 4 KiB are not in the log.")
            }
            return found?.record
        }
    }

    struct SetCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Set a value for everyone, or for one group or machine.",
            discussion: """
                JSON is stored as such: 14, true, "14", {"width": 800}. Anything else is stored as a string: dark. Put -- before a value \
                that begins with a dash: set offset -- -5. Where several apply to a machine, the narrower one wins: machine, group, everyone. \
                If a schema is published (stored-values-fleet schema), a key that it does not have and a value that it does not allow are \
                refused, before anything is written; with --force they are stored, and the log says so.
                """)

        @Argument(help: "The setting.") var setting: String
        @OptionGroup var value: ValueArgument
        @OptionGroup var fleet: FleetOptions
        @OptionGroup var target: TargetOptions
        @Flag(help: "Store it even if the schema in the cluster does not allow it; the log says so.") var force = false

        func run() async throws {
            let fleet = try fleet.fleet()
            try fleet.check(setting, for: target.target)
            let declared = try await fleet.schema()
            let json = try value.json(of: setting, declared: declared)
            if !force { try declared?.check(json, for: setting) }
            // Without --force the check has passed, so there is none.
            let objection = declared.flatMap { $0.problem(with: setting) ?? $0.misfit(json, for: setting) }
            let old = try await fleet.replace(setting, with: json, for: target.target, force: objection.map { "forced: \($0)" })
            ValueArgument.note(setting, replacing: old, with: json)
        }
    }

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

    struct StatusCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Show which members of the cluster answer, how many settings there are, and which machines are current.",
            discussion: """
                Each member is asked separately, for at most 2 seconds. The exit status is 69 if the cluster as a whole does not answer. \
                Of machines whose agent runs with --report the last line says how many are current, and which are not, since when and why. \
                stored-values doctor says how fresh this machine's own copy is.
                """,
            aliases: ["doctor"])

        @OptionGroup var fleet: FleetOptions
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let status = try await fleet.fleet().status()
            if json {
                Output.standard.json(status.json)
            } else {
                for member in status.members {
                    let leader = member.hasLeader ? "has a leader" : "has no leader"
                    // A problem names the member, too.
                    let words = member.problem ?? "\(member.endpoint): answers, is at revision \(member.revision), and \(leader)"
                    Output.standard.line(Output.standard.oneLine(words))
                }
                if let count = status.settingCount {
                    Output.standard.line(Output.standard.oneLine("\(count.counted("setting")) of \(try fleet.application.requiredID())"))
                }
                if let line = status.machines(at: .now) { Output.standard.line(Output.standard.oneLine(line)) }
            }
            if let error = status.problem { throw error }
        }
    }

    extension FleetClusterStatus {
        var json: JSONValue {
            let list = members.map { member -> JSONValue in
                let endpoint = JSONValue.string(member.endpoint)
                if let problem = member.problem { return ["endpoint": endpoint, "ok": false, "problem": .string(problem)] }
                return ["endpoint": endpoint, "ok": true, "revision": JSONValue(member.revision), "leader": .bool(member.hasLeader)]
            }
            var json: JSONValue = ["ok": .bool(problem == nil), "members": .array(list)]
            json["settings"] = settingCount.map { JSONValue($0) }
            if !agents.isEmpty {
                json["machines"] = .array(
                    agents.map { agent in
                        var json = agent.json
                        json["ok"] = .bool(agent.problem(at: .now) == nil)
                        return json
                    })
            }
            return json
        }
    }
#endif

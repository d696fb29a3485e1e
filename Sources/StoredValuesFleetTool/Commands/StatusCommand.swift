#if Fleet
    import ArgumentParser
    import StoredValues
    import StoredValuesFleet
    import StoredValuesToolSupport

    struct StatusCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Show which members of the cluster answer, and how many settings there are.",
            discussion: """
                Each member is asked for itself, and has 2 seconds. The exit status is 69 if the cluster as a whole does not answer. How \
                fresh this machine's own copy is, stored-values doctor says.
                """)

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
                if let count = status.settingCount { Output.standard.line("\(count) \(count == 1 ? "setting" : "settings") of \(try fleet.application.requiredID())") }
            }
            if let error = status.problem { throw error }
        }
    }

    extension FleetClusterStatus {
        /// All of it, for scripts.
        var json: JSONValue {
            let list = members.map { member -> JSONValue in
                var json: JSONValue = ["endpoint": .string(member.endpoint), "ok": .bool(member.problem == nil)]
                if let problem = member.problem { json["problem"] = .string(problem) } else {
                    json["revision"] = JSONValue(member.revision)
                    json["leader"] = .bool(member.hasLeader)
                }
                return json
            }
            var json: JSONValue = ["ok": .bool(problem == nil), "members": .array(list)]
            json["settings"] = settingCount.map { JSONValue($0) }
            return json
        }
    }
#endif

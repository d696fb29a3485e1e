#if Fleet
    import ArgumentParser
    import StoredValues
    import StoredValuesFleet
    import StoredValuesToolSupport

    struct ListCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Show all settings, and which machines get them.",
            discussion: """
                With --group or --host, only what is set for that group or machine itself. In a pipe or file, each setting is one line: \
                the key, a tab, for whom, a tab, and the value as JSON.
                """)

        @OptionGroup var fleet: FleetOptions
        @OptionGroup var target: TargetOptions
        @Flag(help: "Print a JSON list.") var json = false

        func run() async throws {
            var settings = try await fleet.fleet().settings()
            if target.target != .everyone { settings.removeAll { $0.target != target.target } }
            for broken in settings where broken.record == nil {
                Output.error.note("\"\(broken.key)\" for \(broken.target) is not a setting, and machines ignore it. Set it again.")
            }
            let found = settings.compactMap { setting in setting.record.map { (setting, $0) } }
            guard !json else { return Output.standard.json(.array(found.map(\.0.json))) }
            Row.print(
                found.map { setting, record in
                    let target = "\(setting.target)"
                    return Row(setting.key, record.value, remark: "\(target), by \(record.writer), \(record.time)", group: target)
                })
        }
    }

    extension FleetSetting {
        /// All of it, for scripts.
        var json: JSONValue {
            guard let record else { return .null }
            var json: JSONValue = [
                "key": .string(key), "for": .string(target.path), "value": record.value, "by": .string(record.writer),
                "at": .string(record.time), "revision": JSONValue(revision),
            ]
            if record.version > 0 { json["version"] = JSONValue(record.version) }
            return json
        }
    }
#endif

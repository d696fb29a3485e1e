#if Fleet
    import ArgumentParser
    import StoredValues
    import StoredValuesFleet
    import StoredValuesToolSupport

    struct LogCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "log", abstract: "Show who changed what and when, the latest first.",
            discussion: """
                Each line is the time by the changer's clock, who it was, the setting, for whom, and the value before and after; \
                separated by tabs in a pipe or file. The record of a change is a part of it, so none is missing.
                """)

        @Argument(help: "The setting; all if omitted.") var setting: String?
        @OptionGroup var fleet: FleetOptions
        @Option(help: "How many changes to show at most.") var limit = 100
        @Flag(help: "Print a JSON list.") var json = false

        func validate() throws {
            guard limit > 0 else { throw ValidationError("--limit must be 1 or more.") }
        }

        func run() async throws {
            let records = try await fleet.fleet().log(of: setting, limit: limit)
            guard !json else { return Output.standard.json(.array(records.map(\.json))) }
            for record in records {
                for change in record.changes where setting.map({ change.key == $0 }) ?? true { print(change, of: record) }
            }
        }

        private func print(_ change: FleetLogRecord.Change, of record: FleetLogRecord) {
            let output = Output.standard
            func shown(_ value: JSONValue?) -> String { value.map { output.shownJSON($0.text(onOneLine: true)) } ?? "(nothing)" }
            var columns = [record.time, record.writer, change.key, change.isSecret ? "secret" : change.target].map { output.oneLine($0) }
            if !change.isSecret { columns.append(output.isTerminal ? "\(shown(change.from)) → \(shown(change.to))" : "\(shown(change.from))\t\(shown(change.to))") }
            output.line(columns.joined(separator: output.isTerminal ? "  " : "\t"))
        }
    }

    extension FleetLogRecord {
        /// All of it, for scripts.
        var json: JSONValue {
            let list = changes.map { change -> JSONValue in
                guard !change.isSecret else { return ["secret": .string(change.key)] }
                var json: JSONValue = ["key": .string(change.key), "for": .string(change.target)]
                json["from"] = change.from
                json["to"] = change.to
                return json
            }
            return ["at": .string(time), "by": .string(writer), "changes": .array(list), "revision": JSONValue(revision)]
        }
    }
#endif

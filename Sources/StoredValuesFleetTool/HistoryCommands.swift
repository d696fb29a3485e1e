#if Fleet
    import ArgumentParser
    import FoundationEssentials
    import StoredValues
    import StoredValuesFleet
    import StoredValuesSupport
    import StoredValuesToolSupport

    struct LogCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "log", abstract: "Show who changed what and when, the latest first.",
            discussion: """
                Each line is the time by the changer's clock, who it was, the setting, for whom, the value before and after, and the number of the \
                record, which undo takes; separated by tabs in a pipe or file. Of secrets there are no values. Each record is written \
                together with its change, so none is missing.
                """)

        @Argument(help: "The setting; all if omitted.") var setting: String?
        @OptionGroup var fleet: FleetOptions
        @Option(help: "How many records to show at most; one may have several lines.") var limit = 100
        @Flag(help: "Print a JSON list.") var json = false

        func validate() throws {
            guard limit > 0 else { throw ValidationError("--limit must be 1 or more.") }
        }

        func run() async throws {
            let records = try await fleet.fleet().log(of: setting, limit: limit)
            guard !json else { return Output.standard.json(.array(records.map(\.json))) }
            for record in records {
                for change in record.changes where setting.map({ change.key.isIdentical(to: $0) }) ?? true { print(change, of: record) }
            }
        }

        private func print(_ change: FleetLogRecord.Change, of record: FleetLogRecord) {
            let output = Output.standard
            var columns = [record.time, record.writer, change.key, change.isSecret ? "secret" : change.target].map { output.oneLine($0) }
            if !change.isSecret { columns += change.values + [[String(record.revision), record.remark.map { output.oneLine("(\($0))") }].compactMap(\.self).joined(separator: " ")] }
            output.line(columns.joined(separator: output.isTerminal ? "  " : "\t"))
        }
    }

    extension FleetLogRecord.Change {
        /// The value before and after, as they are shown: one text on a terminal, else two.
        fileprivate var values: [String] {
            let output = Output.standard
            func shown(_ value: JSONValue?) -> String { value.map { output.shownJSON($0.text(onOneLine: true)) } ?? "(nothing)" }
            return output.isTerminal ? ["\(shown(from)) → \(shown(to))"] : [shown(from), shown(to)]
        }
    }

    struct UndoCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "undo", abstract: "Set back what one change changed, if nobody has changed it since.",
            discussion: """
                It is a change of its own, which the log shows, and which can be undone, too. If anybody has changed one of its settings since, \
                nothing is changed, and the exit status is 77. Each line is a setting, for whom, and the value before and after. Changes of secrets \
                cannot be undone: the log does not have them.
                """)

        @Argument(help: "The number of the record, the last column of log.") var record: Int
        @OptionGroup var fleet: FleetOptions

        func run() async throws {
            let output = Output.standard
            for change in try await fleet.fleet().undo(record) {
                output.line(([change.key, change.target].map { output.oneLine($0) } + change.values).joined(separator: output.isTerminal ? "  " : "\t"))
            }
        }
    }

    /// A time that settings are shown of.
    struct MomentOption: ParsableArguments {
        @Option(help: ArgumentHelp("Show what was set at that time, as far as the log goes: 2027-01-31T12:00:00Z.", valueName: "time"))
        var at: String?

        func validate() throws {
            guard at == nil || time != nil else { throw ValidationError("--at must be a time such as 2027-01-31T12:00:00Z, or as log prints it.") }
        }

        private var time: Date? {
            at.flatMap { text in
                [true, false].lazy.compactMap { try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: $0)) }.first
            }
        }

        func settings(of fleet: Fleet) async throws -> [FleetSetting] {
            if let time { try await fleet.settings(at: time) } else { try await fleet.settings() }
        }
    }
#endif

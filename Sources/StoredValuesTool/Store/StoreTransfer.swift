#if Store
    import ArgumentParser
    import StoredValues
    import StoredValuesStore
    import StoredValuesSupport
    import StoredValuesToolSupport

    struct StoreExportCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export", abstract: "Write all items, or those of one store, as JSON lines.",
            discussion: """
                Each line is an object: {"store": "notes", "id": "a", "version": 0, "json": {…}}. "stored-values store import" reads \
                these. Of a damaged file, what can be read is written. If not everything was, the exit status is 65.
                """)

        @Argument(help: "The store; all stores if omitted.") var store: StoreArgument?
        @OptionGroup var options: StoreOptions
        @Option(name: .shortAndLong, help: "Write to this file instead of standard output.", completion: .file()) var output: String?

        func run() async throws {
            ProgressLine.shared.begin("Reading the stores")
            let contents = try options.contents()
            let stores = try store.map { [try contents.store($0.text)] } ?? contents.stores
            let lines = stores.flatMap { store in
                store.items.map { item in
                    """
                    {"store": \(JSONValue.string(store.name)), "id": \(item.id), "version": \(item.version), "json": \(item.json)}
                    """
                }
            }
            if let output {
                try System.writeFile(output, lines.map { "\($0.escapedJSON(\.mayEndLine))\n" }.joined())
            } else {
                for line in lines { Output.standard.line(Output.standard.shownJSON(line)) }
            }
            try contents.report(unreadableOf: stores)
        }
    }

    struct StoreImportCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import", abstract: "Store the items of JSON lines, all or none.",
            discussion: """
                Reads what "stored-values store export" writes; "version" may be missing, and is 0 then. An item with the id of a stored \
                one takes its place, any other comes behind those that are there. Programs that use the stores see it at once. If a line \
                is wrong, nothing is stored, and the exit status is 65.
                """)

        @Argument(help: "The file to read; standard input if omitted.", completion: .file()) var input: String?
        @OptionGroup var options: StoreOptions

        func run() async throws {
            let storage = try options.storage()
            let input = try input.map(System.readFile) ?? System.readStandardInput()
            let mark: [UInt8] = [0xEF, 0xBB, 0xBF]  // which some editors put before a text
            let bytes = input.starts(with: mark) ? input.dropFirst(mark.count) : input[...]
            var rows: [StoredRow] = []
            let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            ProgressLine.shared.begin("Reading the items")
            for (index, line) in lines.enumerated() where line.contains(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\r") }) {
                ProgressLine.shared.advance(to: index, of: lines.count)
                rows.append(try StoredRow(line: Array(line), number: index + 1))
            }
            let items = rows.count.counted("item")
            ProgressLine.shared.begin("Storing \(items)")
            if !rows.isEmpty { try storage.insert(rows) }
            Output.error.line("Imported: \(items)")
        }
    }

    extension StoredRow {
        /// The row that a line, which has this number, is about.
        fileprivate init(line: [UInt8], number: Int) throws(Failure) {
            func wrong(_ problem: String) -> Failure { Failure(.badData, "Nothing was imported: line \(number) \(problem).") }
            let value: JSONValue
            do throws(JSONSyntaxError) {
                value = try JSONValue(parsing: line)
                _ = try JSONValue(typed: String(decoding: line, as: UTF8.self))  // refuses what would be stored only in part
            } catch { throw wrong("is not JSON that can be stored: \(error.problem) at column \(error.column)") }
            guard value.objectValue != nil else { throw wrong("is not a JSON object") }
            guard let store = value["store"]?.stringValue, !store.isEmpty, !store.has("\0") else {
                throw wrong("has no \"store\" that is a name")
            }
            guard let id = value["id"] else { throw wrong("has no \"id\"") }
            guard let json = value["json"] else { throw wrong("has no \"json\"") }
            let version = value["version"].map { $0.intValue ?? -1 } ?? 0
            guard version >= 0 else { throw wrong("has a \"version\" that is no version") }
            self.init(store: store, id: Array(id.text(onOneLine: true).utf8), version: version, json: Array(json.text(onOneLine: true).utf8))
        }
    }
#endif

#if Store
    import ArgumentParser
    import StoredValues
    import StoredValuesStore
    import StoredValuesToolSupport

    struct StoreCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "store", abstract: "List, print, export, import and check the items that a program keeps in stores.",
            discussion: "What only reads creates no file, and changes none: only an interrupted change is taken back, and a write-ahead log written into the file.",
            subcommands: [
                StoreListCommand.self, StoreItemsCommand.self, StoreExportCommand.self, StoreImportCommand.self, StoreCheckCommand.self,
            ])
    }

    /// The file that a command is about.
    struct StoreOptions: ParsableArguments {
        @OptionGroup var application: ApplicationOptions

        @Option(help: "The program's file of this name; by default store, which is store.sqlite.") var name: String?
        @Option(help: "Use the file of stores at this path.", completion: .file(extensions: ["sqlite"])) var file: String?

        func validate() throws {
            guard file == nil || (application.app == nil && name == nil) else {
                throw ValidationError("Give either --file, or --app and --name.")
            }
            guard file != "" else { throw ValidationError("The path of --file must not be empty.") }
            guard let name else { return }
            do { _ = try StoreFile(checkingName: name) } catch { throw ValidationError("\(error)") }
        }

        func storage() throws -> StoreFile {
            if let file { return StoreFile(path: file) }
            try application.bootstrap()
            return try name.map { try StoreFile(checkingName: $0) } ?? .standard
        }

        func contents() throws -> StoreFileContents {
            let storage = try storage()
            guard let contents = try storage.contents() else { throw try Self.missing(storage) }
            return contents
        }

        static func missing(_ storage: StoreFile) throws -> Failure {
            Failure(.absent, "There is no file \"\(try storage.path)\": no item was ever stored there.")
        }
    }

    /// A store's name, as typed.
    struct StoreArgument: ExpressibleByArgument {
        let text: String

        init?(argument: String) {
            guard !argument.isEmpty else { return nil }
            text = argument
        }

        static var defaultCompletionKind: CompletionKind { .custom { words, _, _ in names(words).completions } }

        /// The stores of the file that the words typed so far name.
        private static func names(_ words: [String]) -> [String] {
            let options = CompletionWords(words)
            func file() throws -> StoreFile? {
                if let path = options.file { return StoreFile(path: path) }
                guard let id = try ApplicationOptions.id(options.app) else { return nil }
                StorageSystem.bootstrap(applicationID: id)
                return try StoreFile(checkingName: options["--name"] ?? "store")
            }
            return (try? file()?.contents(mayRestore: false))?.stores.map(\.name) ?? []
        }
    }

    struct StoreListCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the stores, with the number of their items.",
            discussion: """
                In a pipe or file, each store is one line: the name, a tab, the number of items, a tab, and the number of rows that are \
                not JSON. A program may be unable to read more than these.
                """)

        @OptionGroup var options: StoreOptions
        @Flag(help: "Print a JSON list.") var json = false

        func run() async throws {
            let contents = try options.contents(), stores = contents.stores
            let output = Output.standard
            if json {
                output.json(
                    .array(
                        stores.map { store in
                            ["store": .string(store.name), "items": JSONValue(store.items.count), "unreadable": JSONValue(store.unreadable.count)]
                        }))
            } else {
                let width = stores.map { output.oneLine($0.name).columns }.max() ?? 0
                for store in stores {
                    let name = output.oneLine(store.name)
                    guard output.isTerminal else {
                        output.line("\(name)\t\(store.items.count)\t\(store.unreadable.count)")
                        continue
                    }
                    let unreadable = store.unreadable.isEmpty ? "" : ", \(store.unreadable.count) not JSON"
                    output.line("\(output.styled(name.padded(to: width), .bold))  \(store.items.count.counted("item"))\(unreadable)")
                }
            }
            if let damage = contents.damage { throw damage }
        }
    }

    struct StoreItemsCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "items", abstract: "Print the items of a store as JSON, one per line, in the order of insertion.",
            discussion: "Rows that are not JSON are left out; then the exit status is 65.")

        @Argument(help: "The store.") var store: StoreArgument
        @OptionGroup var options: StoreOptions

        func run() async throws {
            let contents = try options.contents()
            let store = try contents.store(store.text)
            for item in store.items { Output.standard.line(Output.standard.shownJSON(item.json)) }
            try contents.report(unreadableOf: [store])
        }
    }

    struct StoreCheckCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check", abstract: "Check a file of stores, and say what is wrong and what to do.",
            discussion: """
                SQLite checks the whole file; programs that change it wait for at most 5 s, so --quick is better for a large one in use. \
                The exit status is 1 if there is a problem, or no file.
                """)

        @OptionGroup var options: StoreOptions
        @Flag(help: "Leave out whether the indexes fit.") var quick = false
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let storage = try options.storage()
            var doctor = Doctor()
            guard try doctor.check(storage, quick ? .quick : .full, mayRestore: true) else { throw try StoreOptions.missing(storage) }
            doctor.print(asJSON: json)
            if doctor.hasProblem { throw ExitCode(ExitStatus.absent.rawValue) }
        }
    }
#endif

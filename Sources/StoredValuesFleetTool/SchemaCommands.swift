#if Fleet
    import ArgumentParser
    import StoredValues
    import StoredValuesFleet
    import StoredValuesToolSupport

    struct SchemaCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "schema", abstract: "Publish, show and remove what values the settings may have.",
            discussion: """
                Where a schema is published, set refuses a setting that no program declares, and a value that none can read. Programs that use \
                the library to change settings refuse such a value, too. Older versions of the tool pass over it.
                """,
            subcommands: [SchemaPublishCommand.self, SchemaShowCommand.self, SchemaRemoveCommand.self])
    }

    struct SchemaPublishCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "publish", abstract: "Put the schema of the program's settings into the cluster.",
            discussion: "It replaces the one that is there. What is set already is not checked.")

        @Argument(help: ArgumentHelp("A JSON Schema, or - for standard input; by default the one that the program has published on this machine.", valueName: "file"), completion: .file())
        var file: String?
        @OptionGroup var fleet: FleetOptions

        func run() async throws {
            let schema = try schema()  // first: a user may have to type it
            try await fleet.fleet().publish(schema)
        }

        private func schema() throws -> PublishedSchema {
            if let file {
                guard let schema = try file == "-" ? PublishedSchema(System.readStandardInput()) : PublishedSchema(fileAt: file) else {
                    throw Failure(.badData, "\"\(file)\" is not a JSON Schema: it must be a JSON object with the properties. Nothing was changed.")
                }
                return schema
            }
            let id = try fleet.application.requiredID()
            StorageSystem.bootstrap(applicationID: id)
            guard let schema = PreferencesFile.standard.publishedSchema() else {
                throw Failure(.absent, "\"\(id)\" has published no schema on this machine, and none is installed. Name a file, or run the program once.")
            }
            return schema
        }
    }

    struct SchemaShowCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Print the schema in the cluster.", discussion: "The exit status is 1 if there is none.")

        @OptionGroup var fleet: FleetOptions

        func run() async throws {
            guard let schema = try await fleet.fleet().schema() else { throw Failure(.absent, "There is no schema in the cluster.") }
            Output.standard.json(schema.json)
        }
    }

    struct SchemaRemoveCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove the schema from the cluster.",
            discussion: "From then on any value can be set. Removing a schema that does not exist succeeds.")

        @OptionGroup var fleet: FleetOptions

        func run() async throws {
            guard try await !fleet.fleet().publish(nil) else { return }
            Output.error.note("There was no schema in the cluster.")
        }
    }
#endif

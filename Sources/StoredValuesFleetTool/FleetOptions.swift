#if Fleet
    import ArgumentParser
    import StoredValues
    import StoredValuesFleet
    import StoredValuesSupport
    import StoredValuesToolSupport

    /// The cluster, and the client's credentials.
    struct ConnectionOptions: ParsableArguments {
        enum Variable {
            static let endpoints = "STORED_VALUES_FLEET_ENDPOINTS"
            static let authorities = "STORED_VALUES_FLEET_CA"
            static let certificate = "STORED_VALUES_FLEET_CERT"
            static let key = "STORED_VALUES_FLEET_KEY"
            static let user = "STORED_VALUES_FLEET_USER_FILE"
        }

        @Option(help: ArgumentHelp("The members of the cluster, separated by commas: https://db1.example.com:2379,…", valueName: "addresses"))
        var endpoints: String?

        @Option(help: ArgumentHelp("The certificates of the authorities that signed the cluster's, in PEM; the system's by default.", valueName: "file"), completion: .file())
        var ca: String?

        @Option(help: ArgumentHelp("This client's certificate, in PEM.", valueName: "file"), completion: .file())
        var cert: String?

        @Option(help: ArgumentHelp("The certificate's private key, in PEM.", valueName: "file"), completion: .file())
        var key: String?

        @Option(help: ArgumentHelp("A file with one line name:password, which only its owner can read.", valueName: "file"), completion: .file())
        var userFile: String?

        func addresses() throws -> [String] {
            guard let list = try endpoints ?? System.environment(Variable.endpoints) else {
                throw Failure(.usage, "Name the cluster: --endpoints <addresses>, or \(Variable.endpoints)=<addresses> in the environment.")
            }
            return list.parts(separatedBy: ",").flatMap { $0.parts(separatedBy: " ") }
        }

        func access() throws -> FleetAccess {
            FleetAccess(
                authorities: try ca ?? System.environment(Variable.authorities), certificate: try cert ?? System.environment(Variable.certificate),
                key: try key ?? System.environment(Variable.key), user: try userFile ?? System.environment(Variable.user))
        }
    }

    /// The settings of one program in the cluster.
    struct FleetOptions: ParsableArguments {
        @OptionGroup var application: ApplicationOptions
        @OptionGroup var connection: ConnectionOptions

        func fleet() throws -> Fleet {
            ProgressLine.shared.begin("Waiting for the cluster")
            return try Fleet(endpoints: connection.addresses(), applicationID: application.requiredID(), access: connection.access())
        }
    }

    struct TargetOptions: ParsableArguments {
        @Option(help: "Only the machines of this group.") var group: String?
        @Option(help: "Only this machine.") var host: String?

        func validate() throws {
            guard group == nil || host == nil else { throw ValidationError("Give either --group or --host, not both.") }
        }

        var target: FleetTarget { group.map { .group($0) } ?? host.map { .host($0) } ?? .everyone }
    }
#endif

#if Fleet
    import Foundation
    import Testing

    /// The tool `stored-values-fleet` in a home of its own, which speaks with a real etcd.
    struct FleetTool {
        let folder: String
        var environment: [String: String]
        /// What it is run by, such as to be on a host of a `TestNetwork`.
        var launcher: [String] = []

        /// The tool with `folder` as its home, and all that the cluster wants of it in its environment.
        init(in folder: String, _ etcd: EtcdCluster) throws {
            try self.init(in: folder, endpoints: etcd.endpoints)
            guard let ca = etcd.ca else { return }
            environment["STORED_VALUES_FLEET_CA"] = ca.file
            environment["STORED_VALUES_FLEET_CERT"] = ca.client.file
            environment["STORED_VALUES_FLEET_KEY"] = ca.client.key
        }

        /// The same with nothing but addresses.
        init(in folder: String, endpoints: [String]) throws {
            self.folder = folder
            environment = [
                "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "HOME": folder, "XDG_RUNTIME_DIR": folder,
                "XDG_CONFIG_DIRS": "\(folder)/etc", "LC_ALL": "C.UTF-8", "STORED_VALUES_APP": TestFleet.application,
                "STORED_VALUES_FLEET": "\(folder)/fleet", "STORED_VALUES_FLEET_ENDPOINTS": endpoints.joined(separator: ","),
            ]
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }

        static var path: String { get throws { try BuiltProgram.path("stored-values-fleet") } }

        /// The arguments that start it.
        func command(_ arguments: [String]) throws -> [String] { launcher + [try Self.path] + arguments }

        /// Runs the tool to its end.
        @discardableResult
        func run(_ arguments: String...) async throws -> FinishedProgram { try await run(arguments) }

        /// The same with a list of arguments.
        ///
        /// On a busy machine a file with secrets may not answer within the tool's limit of 5 s; then again, as the error says.
        @discardableResult
        func run(_ arguments: [String], input: String = "") async throws -> FinishedProgram {
            try await FinishedProgram.inTime { try await attempt(arguments, input: input) }
        }

        /// Runs the tool to its end once, whatever comes of it.
        func attempt(_ arguments: [String], input: String = "") async throws -> FinishedProgram {
            try await FinishedProgram.run(command(arguments), environment: environment, input: input, in: folder)
        }

        /// Runs the tool, and again while it says that it changed nothing: within its limit of 15 s a busy cluster may not answer, and
        /// others may come first each time.
        func runUntilReached(_ arguments: [String], input: String = "") async throws -> FinishedProgram {
            var last: FinishedProgram?
            try await eventually("\(arguments) reaches the cluster") {
                let result = try await run(arguments, input: input)
                last = result
                return !result.mayBeTriedAgain
            }
            return try #require(last)
        }

        /// Runs `status` until the cluster and so many of its members answer, and returns that run: each member has 2 s, which a busy
        /// machine may need for other things.
        @discardableResult
        func status(answering count: Int = 1) async throws -> FinishedProgram {
            var last: FinishedProgram?
            try await eventually("status says that \(count) answer") {
                let result = try await run("status")
                last = result
                return result.status == 0 && result.output.components(separatedBy: ": answers").count == count + 1
            }
            return try #require(last)
        }

        /// Sets the limit, however long the members take to agree on a leader. To set it twice does no harm.
        func setLimit(to value: Int) async throws {
            try await eventually("the limit is \(value)") { try await run("set", "limit", "\(value)").status == 0 }
        }

        /// The same tool with other variables; nil takes one away.
        func with(_ variables: [String: String?]) -> FleetTool {
            var tool = self
            for (name, value) in variables { tool.environment[name] = value }
            return tool
        }

        /// The same tool as a user whose name and password it reads from a file.
        func with(_ role: EtcdCluster.Role) throws -> FleetTool {
            let file = "\(folder)/\(role.name).user"
            try writePrivate("\(role.login)\n", to: file)
            return with(["STORED_VALUES_FLEET_USER_FILE": file])
        }
    }

    extension FinishedProgram {
        /// Whether the cluster could not be reached, or others came first each time. Where the one change of a command may have been made
        /// anyway, its error says so.
        var mayBeTriedAgain: Bool { [69, 75].contains(status) && !errors.contains("may have been made") && !wasLate }
    }
#endif

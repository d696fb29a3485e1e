#if Fleet
    package import FoundationEssentials
    import StoredValues
    import StoredValuesSupport

    // For the tool.
    extension Fleet {
        /// All settings of the application, sorted by key.
        package func settings() async throws(FleetError) -> [FleetSetting] {
            SettingsReplica(try await ask(keys.everything(), "read the settings", timeout: timeout), keys).settings
        }

        /// The latest records of the log that are about `key`, or about any key, the latest first.
        package func log(of key: String?, limit: Int) async throws(FleetError) -> [FleetLogRecord] {
            let records = try await records("read the log") { record in
                key.map { key in record.changes.contains { $0.key.isIdentical(to: key) } } ?? true
            } until: { found in
                found.count >= limit
            }
            return Array(records.reversed().prefix(limit))
        }

        /// How far clocks may differ, in seconds: keys of the log are in the order of the clocks, revisions in that of the changes.
        static let clockDifference = 3600.0

        /// The wanted records, by revision. Reads the log backwards, in longer and longer parts, until there are enough, and then `more` seconds.
        func records(
            _ what: String, more: Double = 0, where isWanted: (FleetLogRecord) -> Bool, until isEnough: ([FleetLogRecord]) -> Bool
        ) async throws(FleetError) -> [FleetLogRecord] {
            // For a single request with a sort order, or a lowest revision, etcd would read the whole log.
            var found: [FleetLogRecord] = []
            var (last, time, span, isLast) = (keys.log.endOfPrefix, Date.now, 60.0, false)
            repeat {
                isLast = isEnough(found)
                time -= isLast ? more : span
                span *= 4
                let first = time.timeIntervalSince1970 > 0 ? keys.logKeys(since: time) : keys.log
                if first.lexicographicallyPrecedes(last) { found += try await records(from: first, to: last, what, where: isWanted) }
                last = first
            } while !isLast && last != keys.log
            return found.sorted { $0.revision < $1.revision }
        }

        /// The wanted records of the keys from `first` to before `last`, by revision. A log may be long, so each request has the whole timeout.
        func records(
            from first: Data, to last: Data, _ what: String, where isWanted: (FleetLogRecord) -> Bool
        ) async throws(FleetError) -> [FleetLogRecord] {
            var records: [FleetLogRecord] = []
            var (next, hasMore) = (first, true)
            while hasMore {
                let answer = try await ask(.read(next, to: last, ["limit": "50"]), what, timeout: timeout)  // each has up to a mebibyte
                for entry in answer.entries {
                    // A server that repeats entries would cause an endless loop.
                    guard !entry.key.lexicographicallyPrecedes(next), entry.key.lexicographicallyPrecedes(last) else {
                        throw FleetError(.unintelligible(gateway.endpoints[0]).asReading, what)
                    }
                    next = entry.key + [0]
                }
                records += answer.entries.map { FleetLogRecord($0.value, revision: $0.revision) }.filter(isWanted)
                hasMore = answer.hasMore && !answer.entries.isEmpty
            }
            return records.sorted { $0.revision < $1.revision }
        }

        /// The status of each member, and whether the cluster as a whole answers; within a few seconds.
        package func status() async throws(FleetError) -> FleetClusterStatus {
            var status = FleetClusterStatus()
            status.members = await withTaskGroup { group in
                for (position, endpoint) in gateway.endpoints.enumerated() { group.addTask { (position, await member(endpoint)) } }
                return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
            }
            do throws(FleetError) {
                let answer = try await ask(keys.allSettings(["count_only": true]), "read the settings", timeout: .seconds(3))
                status.settingCount = answer.count
                // Without the permission to read them there are none.
                let reports = try? await ask(.read(keys.agents, to: keys.agents.endOfPrefix), "read the reports", timeout: .seconds(3)).entries
                status.agents = (reports ?? []).compactMap { AgentReport($0.value) }
                for index in status.members.indices where status.members[index].cluster?.isIdentical(to: answer.cluster) == false {
                    status.members[index].problem = "\(status.members[index].endpoint) belongs to another cluster, not to the one that these settings are from"
                }
            } catch {
                status.problem = error
            }
            return status
        }

        private func member(_ endpoint: EtcdEndpoint) async -> FleetClusterStatus.Member {
            var member = FleetClusterStatus.Member(endpoint: endpoint.description)
            do throws(EtcdError) {
                let answer = try await gateway.ask(endpoint, EtcdRequest("/v3/maintenance/status", [:]))
                (member.revision, member.hasLeader, member.cluster) = (answer.revision, answer.hasLeader, answer.cluster)
            } catch {
                member.problem = error.sentence
            }
            return member
        }
    }

    package struct FleetClusterStatus: Sendable {
        package struct Member: Sendable {
            package var endpoint: String
            package var revision = 0
            package var hasLeader = false
            /// The id of its cluster; nil if it did not answer.
            var cluster: String?
            /// Why it did not answer; nil if it did.
            package var problem: String?
        }

        package var members: [Member] = []
        /// The number of the application's settings; nil if the cluster as a whole did not answer.
        package var settingCount: Int?
        /// The reports of the agents; empty if none reports.
        package var agents: [AgentReport] = []
        package var problem: FleetError?

        /// How many machines are current, and which are not, since when and why, on one line; nil if no agent reports.
        package func machines(at now: Date) -> String? {
            guard !agents.isEmpty else { return nil }
            let problems = agents.compactMap { $0.problem(at: now) }, count = agents.count - problems.count
            let all = agents.count == 1 ? "1 machine" : "\(agents.count) machines"
            guard !problems.isEmpty else { return "\(all) current" }
            return "\(count) of \(all) current: \(problems.joined(separator: "; "))"
        }
    }
#endif

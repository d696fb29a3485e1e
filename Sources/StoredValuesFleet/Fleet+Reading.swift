#if Fleet
    package import FoundationEssentials
    import StoredValues
    import StoredValuesSupport

    // What tools show.
    extension Fleet {
        /// All settings of the application, sorted by key.
        package func settings() async throws(FleetError) -> [FleetSetting] {
            SettingsReplica(try await ask(keys.everything(), "read the settings", timeout: timeout), keys).settings
        }

        /// The latest records of the log that are about `key`, or of all; the latest first.
        package func log(of key: String?, limit: Int) async throws(FleetError) -> [FleetLogRecord] {
            let end = ContinuousClock.now + timeout
            var records: [FleetLogRecord] = []
            // From now back, each time further. Sorted by etcd it would be one question, for which etcd reads the whole log.
            var last = keys.log.endOfPrefix
            var time = Date.now
            var span = 60.0
            repeat {
                time -= span
                span *= 4
                let first = time.timeIntervalSince1970 > 0 ? keys.logKeys(since: time) : keys.log
                var (next, hasMore) = (first, true)
                while hasMore {
                    // Each has up to a mebibyte.
                    let answer = try await ask(.read(next, to: last, ["limit": "50"]), "read the log", timeout: end - .now)
                    records += answer.entries.map { FleetLogRecord($0.value, revision: $0.revision) }.filter { record in
                        key.map { key in record.changes.contains { $0.key.isIdentical(to: key) } } ?? true
                    }
                    hasMore = answer.hasMore && !answer.entries.isEmpty
                    if let latest = answer.entries.last { next = latest.key + [0] }
                }
                last = first
            } while records.count < limit && last != keys.log
            // Keys are ordered by the changers' clocks, revisions by what happened.
            return Array(records.sorted { $0.revision > $1.revision }.prefix(limit))
        }

        /// What each member says of itself, and whether the cluster as a whole answers; within a few seconds.
        package func status() async throws(FleetError) -> FleetClusterStatus {
            var status = FleetClusterStatus()
            status.members = await withTaskGroup { group in
                for (position, endpoint) in gateway.endpoints.enumerated() { group.addTask { (position, await member(endpoint)) } }
                return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
            }
            do throws(FleetError) {
                let answer = try await ask(keys.allSettings(["count_only": true]), "read the settings", timeout: .seconds(3))
                status.settingCount = answer.count
                // Who may not read them has none to show.
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

    /// How the cluster is.
    package struct FleetClusterStatus: Sendable {
        package struct Member: Sendable {
            package var endpoint: String
            package var revision = 0
            package var hasLeader = false
            /// The id of its cluster, if it answered.
            var cluster: String?
            /// Why it gave no answer; nil if it did.
            package var problem: String?
        }

        package var members: [Member] = []
        /// How many settings the application has; nil if the cluster as a whole did not answer.
        package var settingCount: Int?
        /// What agents say that were asked to report; empty if none was.
        package var agents: [AgentReport] = []
        package var problem: FleetError?

        /// How many machines are current, and which are not, since when and why, on one line; nil if no agent was asked to report.
        package func machines(at now: Date) -> String? {
            guard !agents.isEmpty else { return nil }
            let problems = agents.compactMap { $0.problem(at: now) }, count = agents.count - problems.count
            let all = agents.count == 1 ? "1 machine" : "\(agents.count) machines"
            guard !problems.isEmpty else { return "\(all) current" }
            return "\(count) of \(all) current: \(problems.joined(separator: "; "))"
        }
    }
#endif

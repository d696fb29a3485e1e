#if Fleet
    import FoundationEssentials
    import StoredValues
    import StoredValuesSupport

    // What tools show.
    extension Fleet {
        /// All settings of the application, sorted by key.
        package func settings() async throws(FleetError) -> [FleetSetting] {
            do throws(EtcdError) {
                let answer: EtcdRangeAnswer = try await gateway.ask("/v3/kv/range", EtcdRangeRequest(prefix: keys.settings), patience: patience)
                return SettingsReplica(answer, keys).settings
            } catch {
                throw FleetError(error.asReading, "read the settings")
            }
        }

        /// The latest records of the log that are about `key`, or of all; the latest first.
        package func log(of key: String?, limit: Int) async throws(FleetError) -> [FleetLogRecord] {
            let end = ContinuousClock.now + patience
            var request = EtcdRangeRequest(prefix: keys.log)
            // From the end, in parts: the log has no limit.
            (request.limit, request.sort_order, request.sort_target) = (500, "DESCEND", "KEY")
            var records: [FleetLogRecord] = []
            do throws(EtcdError) {
                while true {
                    let answer: EtcdRangeAnswer = try await gateway.ask("/v3/kv/range", request, patience: end - .now)
                    for found in answer.kvs ?? [] {
                        guard let record = FleetLogRecord(found.value ?? Data(), revision: found.mod_revision?.value ?? 0) else { continue }
                        if key.map({ key in record.changes.contains { $0.key.isIdentical(to: key) } }) ?? true { records.append(record) }
                    }
                    guard records.count < limit, answer.more == true, let last = answer.kvs?.last else { break }
                    request.range_end = last.key
                }
            } catch {
                throw FleetError(error.asReading, "read the log")
            }
            // Keys are ordered by the changers' clocks, revisions by what happened.
            return Array(records.sorted { $0.revision > $1.revision }.prefix(limit))
        }

        /// What each member says of itself, and whether the cluster as a whole answers; within a few seconds.
        package func status() async throws(FleetError) -> FleetClusterStatus {
            var status = FleetClusterStatus()
            status.members = await withTaskGroup { group in
                for (position, endpoint) in gateway.endpoints.enumerated() {
                    group.addTask { (position, await member(endpoint)) }
                }
                var members: [(Int, FleetClusterStatus.Member)] = []
                for await member in group { members.append(member) }
                return members.sorted { $0.0 < $1.0 }.map(\.1)
            }
            do throws(EtcdError) {
                let end = ContinuousClock.now + .seconds(3)
                var count = 0
                for prefix in keys.targets {
                    var request = EtcdRangeRequest(prefix: prefix)
                    (request.limit, request.keys_only) = (1, true)
                    let answer: EtcdRangeAnswer = try await gateway.ask("/v3/kv/range", request, patience: end - .now)
                    count += answer.count?.value ?? 0
                }
                status.settingCount = count
            } catch {
                status.problem = FleetError(error.asReading, "read the settings")
            }
            return status
        }

        private func member(_ endpoint: EtcdEndpoint) async -> FleetClusterStatus.Member {
            do throws(EtcdError) {
                let answer: EtcdStatusAnswer = try await gateway.askOnce(endpoint, "/v3/maintenance/status", EtcdStatusRequest())
                let hasLeader = answer.leader.map { !$0.utf8.elementsEqual("0".utf8) } ?? false
                return FleetClusterStatus.Member(endpoint: endpoint.description, revision: answer.revision, hasLeader: hasLeader, problem: nil)
            } catch {
                return FleetClusterStatus.Member(endpoint: endpoint.description, revision: 0, hasLeader: false, problem: error.sentence)
            }
        }
    }

    /// How the cluster is.
    package struct FleetClusterStatus: Sendable {
        package struct Member: Sendable {
            package var endpoint: String
            package var revision: Int
            package var hasLeader: Bool
            /// Why it gave no answer; nil if it did.
            package var problem: String?
        }

        package var members: [Member] = []
        /// How many settings the application has; nil if the cluster as a whole did not answer.
        package var settingCount: Int?
        package var problem: FleetError?
    }
#endif

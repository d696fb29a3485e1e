#if Fleet
    import FoundationEssentials
    package import StoredValues
    import StoredValuesSupport

    // What tools show, and change.
    extension Fleet {
        /// Stores JSON as it is, keeping the version that is noted for the old value, or removes what is set if it is nil. Returns the old
        /// value; nil if nothing was set.
        @discardableResult
        package func replace(_ key: String, with json: JSONValue?, for target: FleetTarget) async throws(FleetError) -> JSONValue? {
            let place = try Self.place(key, target)
            let content = try json.map { json throws(FleetError) in try Content(checking: json, version: nil, key) }
            do {
                return try await transact([place], "change \"\(key)\"") { found in
                    // What is no record of ours has no value, but is there.
                    ([content], found[0].data.map { _ in found[0].record?.value ?? .null })
                }
            } catch let error as FleetError {
                throw error
            } catch {
                throw FleetError(.refused, "\(error)")  // never: the closure throws nothing
            }
        }

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
            var records: [FleetLogRecord] = []
            // From now back, each time further. Sorted by etcd it would be one question, for which etcd reads the whole log.
            var last = keys.log.afterAllThatBeginWithThis
            var time = Date.now
            var span = 60.0
            do throws(EtcdError) {
                repeat {
                    time -= span
                    span *= 4
                    let first = time.timeIntervalSince1970 > 0 ? keys.logKeys(since: time) : keys.log
                    records += try await log(of: key, from: first, to: last, end: end)
                    last = first
                } while records.count < limit && last != keys.log
            } catch {
                throw FleetError(error.asReading, "read the log")
            }
            // Keys are ordered by the changers' clocks, revisions by what happened.
            return Array(records.sorted { $0.revision > $1.revision }.prefix(limit))
        }

        /// The records between these keys of the log that are about `key`, or all.
        private func log(of key: String?, from first: Data, to last: Data, end: ContinuousClock.Instant) async throws(EtcdError) -> [FleetLogRecord] {
            var request = EtcdRangeRequest(key: first, range_end: last)
            request.limit = 50  // each has up to a mebibyte
            var records: [FleetLogRecord] = []
            while true {
                let answer: EtcdRangeAnswer = try await gateway.ask("/v3/kv/range", request, patience: end - .now)
                records += (answer.kvs ?? []).map { FleetLogRecord($0.value ?? Data(), revision: $0.mod_revision?.value ?? 0) }.filter { record in
                    key.map { key in record.changes.contains { $0.key.isIdentical(to: key) } } ?? true
                }
                guard answer.more == true, let latest = answer.kvs?.last else { return records }
                request.key = latest.key + [0]
            }
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
                var request = keys.allSettings
                request.count_only = true
                let answer: EtcdRangeAnswer = try await gateway.ask("/v3/kv/range", request, patience: .seconds(3))
                status.settingCount = answer.count?.value ?? 0
                for index in status.members.indices where status.members[index].cluster?.isIdentical(to: answer.header.cluster_id) == false {
                    status.members[index].problem = "\(status.members[index].endpoint) belongs to another cluster than the one that these settings are of"
                }
            } catch {
                status.problem = FleetError(error.asReading, "read the settings")
            }
            return status
        }

        private func member(_ endpoint: EtcdEndpoint) async -> FleetClusterStatus.Member {
            do throws(EtcdError) {
                let answer: EtcdStatusAnswer = try await gateway.askOnce(endpoint, "/v3/maintenance/status", EtcdStatusRequest())
                let hasLeader = answer.leader.map { !$0.utf8.elementsEqual("0".utf8) } ?? false
                return FleetClusterStatus.Member(endpoint: endpoint.description, revision: answer.revision, hasLeader: hasLeader, cluster: answer.header.cluster_id)
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
            /// The id of its cluster, if it answered.
            var cluster: String?
            /// Why it gave no answer; nil if it did.
            package var problem: String?
        }

        package var members: [Member] = []
        /// How many settings the application has; nil if the cluster as a whole did not answer.
        package var settingCount: Int?
        package var problem: FleetError?
    }
#endif

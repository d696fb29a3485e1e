#if Fleet
    import FoundationEssentials
    import StoredValues
    import StoredValuesSupport

    /// Writes what an agent says of its machine into the cluster.
    struct ReportWriter {
        private let gateway: EtcdGateway
        private let key: Data
        /// What a member is asked about that says first which cluster it belongs to: an agent may only write its report, and read this.
        private let mark: Data
        private let host: String
        private var lease: (id: String, granted: ContinuousClock.Instant)?
        /// Why the machine was not current, and when that was written.
        private var last: (why: String?, time: ContinuousClock.Instant)?

        init(_ gateway: EtcdGateway, _ keys: FleetKeys, host: String) {
            (self.gateway, self.host, key, mark) = (gateway, host, keys.agents + Data(host), keys.mark)
        }

        /// Writes the state if it is another one than was written, or that was a while ago.
        mutating func write(_ state: FleetReport.State, timeout: Duration, at now: ContinuousClock.Instant = .now) async throws(EtcdError) {
            let why: String? = if case .stale(_, let why) = state { why } else { nil }
            if let last, last.why == why, now - last.time < AgentReport.interval { return }
            last = (why, now)  // also where it fails: a cluster that refuses it is not asked each second
            let id: String
            if let lease, now - lease.granted < .seconds(AgentReport.renewal) {
                id = lease.id
            } else {
                // Nobody keeps it alive, and the last report may come at the end of its use.
                let time = AgentReport.memory + AgentReport.renewal
                let grant = EtcdRequest("/v3/lease/grant", ["TTL": .string("\(time)")], about: mark, isChange: true)
                guard let granted = try await gateway.ask(grant, timeout: timeout).lease else { throw .unintelligible(gateway.endpoints[0]) }
                id = granted
                lease = (id, now)
            }
            let value = AgentReport(state, of: host).data
            let put = EtcdRequest("/v3/kv/put", ["key": .bytes(key), "value": .bytes(value), "lease": .string(id)], about: mark, isChange: true)
            do throws(EtcdError) { _ = try await gateway.ask(put, timeout: timeout) } catch {
                // It may be gone with a restored cluster. Where only the right is missing, each attempt would leave another one there.
                if error.isRefusal { lease = nil }
                throw error
            }
        }
    }
#endif

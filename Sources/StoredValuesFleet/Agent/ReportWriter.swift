#if Fleet
    import FoundationEssentials
    import StoredValues
    import StoredValuesSupport

    /// Writes an agent's report about its machine into the cluster.
    struct ReportWriter {
        private let gateway: EtcdGateway
        private let key: Data
        /// The key by which a member shows its cluster: an agent may write its report but not read it, and may read this.
        private let mark: Data
        private let host: String
        private var lease: (id: String, granted: ContinuousClock.Instant)?
        /// Why the machine was not current, and when that was written.
        private var last: (why: String?, time: ContinuousClock.Instant)?

        init(_ gateway: EtcdGateway, _ keys: FleetKeys, host: String) {
            (self.gateway, self.host, key, mark) = (gateway, host, keys.agents + Data(host), keys.mark)
        }

        /// Writes the state if it has changed, or was written an ``AgentReport/interval`` ago.
        mutating func write(_ state: FleetReport.State, timeout: Duration, at now: ContinuousClock.Instant = .now) async throws(EtcdError) {
            let why: String? = if case .stale(_, let why) = state { why } else { nil }
            if let last, last.why == why, now - last.time < AgentReport.interval { return }
            last = (why, now)  // also if it fails, so that a cluster that refuses it is not asked every second
            let id: String
            if let lease, now - lease.granted < .seconds(AgentReport.renewal) {
                id = lease.id
            } else {
                // The lease is never renewed, and the last report may be written just before the next lease is due.
                let time = AgentReport.memory + AgentReport.renewal
                let grant = EtcdRequest("/v3/lease/grant", ["TTL": .string("\(time)")], about: mark, isChange: true)
                guard let granted = try await gateway.ask(grant, timeout: timeout).lease else { throw .unintelligible(gateway.endpoints[0]) }
                id = granted
                lease = (id, now)
            }
            let value = AgentReport(state, of: host).data
            let put = EtcdRequest("/v3/kv/put", ["key": .bytes(key), "value": .bytes(value), "lease": .string(id)], about: mark, isChange: true)
            do throws(EtcdError) { _ = try await gateway.ask(put, timeout: timeout) } catch {
                // A restored cluster may not have the lease. If only the permission is missing, keep it: each attempt would create another.
                if error.isRefusal { lease = nil }
                throw error
            }
        }
    }
#endif

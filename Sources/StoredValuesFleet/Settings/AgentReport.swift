#if Fleet
    package import FoundationEssentials
    package import StoredValues
    import StoredValuesSupport

    /// An agent's report about its machine in the cluster, under a lease. Each machine has a key, outside of what agents watch.
    package struct AgentReport: Sendable, Equatable {
        /// Reports are written when the state changes, and otherwise at this interval.
        static let interval = Duration.seconds(60)
        /// The age in seconds from which a report is too old. Longer than clocks should differ.
        private static let silenceLimit = 180.0
        /// The minimum time for which a machine that does not report is remembered, and the time for which reports use one lease, in seconds.
        static let memory = 86_400, renewal = 40_000

        package var host: String
        /// When it was written, by the machine's clock.
        package var time: String
        package var isCurrent: Bool
        /// Since when it is not current, and why; empty if it is current.
        package var since = ""
        package var why = ""
    }

    extension AgentReport {
        init(_ state: FleetReport.State, of host: String, at time: Date = .now) {
            self.init(host: host, time: FleetRecord.stamp(time), isCurrent: true)
            if case .stale(let since, let why) = state { (isCurrent, self.since, self.why) = (false, FleetRecord.stamp(since), why) }
        }

        /// Nil if the text is not a valid report.
        init?(_ data: Data) {
            guard let json = try? JSONValue(parsing: Array(data)), let host = json["host"]?.stringValue, let time = json["at"]?.stringValue,
                case .bool(let isCurrent)? = json["current"]
            else { return nil }
            self.init(
                host: host, time: time, isCurrent: isCurrent, since: json["since"]?.stringValue ?? "",
                why: json["why"]?.stringValue?.asOneLine(upTo: EtcdError.longestReason) ?? "")
        }

        package var json: JSONValue {
            var json: JSONValue = ["host": .string(host), "at": .string(time), "current": .bool(isCurrent)]
            if !isCurrent { (json["since"], json["why"]) = (.string(since), .string(why)) }
            return json
        }

        var data: Data { Data(json.text(onOneLine: true)) }

        /// Why the machine is not current at that time; nil if it is.
        package func problem(at now: Date) -> String? {
            if !isCurrent { return "\(host) is not since \(since): \(why)" }
            return time < FleetRecord.stamp(now - Self.silenceLimit) ? "\(host) has not reported since \(time)" : nil
        }
    }
#endif

#if Fleet
    /// Why an agent cannot say that its mirror is fresh.
    struct AgentProblem: Error, Equatable, Sendable {
        /// Ends without a full stop.
        let why: String
        /// Whether the cluster has said so. Otherwise it only did not answer, which is nothing before the last answer is old.
        let isCertain: Bool

        init(_ why: String, isCertain: Bool) {
            // Errors of files are whole sentences.
            (self.why, self.isCertain) = (why.utf8.last == UInt8(ascii: ".") ? String(why.dropLast()) : why, isCertain)
        }

        init(_ error: any Error) {
            switch error {
            case let problem as AgentProblem: self = problem
            case let error as EtcdError: self.init(error.sentence, isCertain: !error.isTransient && error.reason != .cancelled)
            case let error as FleetError: self.init(error.sentence, isCertain: true)
            default: self.init("\(error)", isCertain: false)
            }
        }
    }
#endif

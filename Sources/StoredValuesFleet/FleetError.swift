#if Fleet
    import FoundationEssentials
    public import StoredValues

    /// Why a call to the fleet failed, and whether its change may have been made.
    public struct FleetError: Error, Equatable, Sendable {
        /// What went wrong.
        public enum Reason: Equatable, Sendable {
            /// No member of the cluster answered in time, or none has a leader.
            case unavailable
            /// The cluster did not accept the user, the password or the certificate, or a permission is missing.
            case accessDenied
            /// The change is larger than etcd accepts in one request, by default 1.5 MiB.
            case tooLarge
            /// One transaction has more changes than etcd accepts.
            case tooManyChanges(limit: Int)
            /// The cluster's database is full.
            case noSpace
            /// What is stored does not decode as the requested type, or cannot be read at all.
            case notDecodable
            /// The item cannot be encoded as JSON.
            case notEncodable
            /// The schema in the cluster does not allow the value; the description says what it allows.
            case notValid
            /// A newer version of the program stored the value.
            case newerVersion
            /// Others kept changing the same settings.
            case contended
            /// A given address, file or name cannot be used.
            case misconfigured
            /// The task was cancelled.
            case cancelled
            /// The cluster answered with another error, which is in the description.
            case refused
        }

        /// Whether a call that throws has made its change. A call that returns has made it exactly once.
        public enum Outcome: Equatable, Sendable {
            /// Nothing has changed, and nothing will.
            case didNotHappen
            /// There was no answer: the change may have been made, or may still be made. Read the setting to find out.
            case mayHaveHappened
        }

        /// What went wrong.
        public let reason: Reason
        /// Whether the change has happened.
        public let outcome: Outcome
        /// What happened and what to do, without the outcome.
        let sentence: String

        init(_ reason: Reason, _ sentence: String, outcome: Outcome = .didNotHappen) {
            (self.reason, self.sentence, self.outcome) = (reason, sentence, outcome)
        }

        static func misconfigured(_ sentence: String) -> FleetError { FleetError(.misconfigured, sentence) }

        /// The error of a change whose decision throws only `FleetError`.
        static func ofChange(_ error: any Error) -> FleetError { error as? FleetError ?? FleetError(.refused, "\(error)") }
    }

    extension FleetError: StoredValuesError {
        /// What happened, to which setting or server, and what to do; and whether the change may have been made.
        public var description: String {
            outcome == .didNotHappen
                ? sentence : "\(sentence) The change may have been made anyway: read the setting before you repeat it."
        }

        /// The exit status of a command line program for this error, from sysexits(3); `stored-values-fleet` uses it.
        public var exitStatus: Int32 {
            switch reason {
            case .unavailable: outcome == .mayHaveHappened ? 75 : 69
            case .cancelled, .contended: 75
            case .accessDenied: 77
            case .tooLarge, .tooManyChanges, .notDecodable, .notEncodable, .notValid, .newerVersion: 65
            case .noSpace: 74
            case .misconfigured: 78
            case .refused: 69
            }
        }
    }

    extension FleetError {
        /// The public error, with advice. `what` is what could not be done.
        init(_ error: EtcdError, _ what: String) {
            let (reason, advice): (Reason, String) =
                switch error.reason {
                case .unreachable: (.unavailable, " Check that the cluster runs, has a leader, and can be reached from here.")
                case .untrusted: (.accessDenied, " Check the certificates and the key that were named, and that none has expired.")
                case .notLoggedIn, .accessDenied:
                    (.accessDenied, " Check the user, its role, and the certificate: see \"Rights\" in the article about fleets.")
                case .tooLarge: (.tooLarge, " Keep large data elsewhere, and store only its location.")
                case .tooManyOperations: (.tooManyChanges(limit: FleetChange.limit), " Make the changes in several transactions.")
                case .noSpace: (.noSpace, " Compact and defragment the cluster, then disarm its alarm: etcdctl alarm disarm.")
                case .notEtcd, .otherCluster: (.misconfigured, " Check the addresses.")
                case .cancelled: (.cancelled, "")
                case .gone, .refused: (.refused, "")
                }
            self.init(reason, "Could not \(what): \(error.sentence).\(advice)", outcome: error.mayHaveHappened ? .mayHaveHappened : .didNotHappen)
        }
    }
#endif

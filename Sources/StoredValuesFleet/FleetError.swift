#if Fleet
    import FoundationEssentials
    public import StoredValues

    /// Why a call to the fleet failed, and whether the change that it asked for has happened.
    public struct FleetError: Error, Equatable, Sendable {
        /// What went wrong.
        public enum Reason: Equatable, Sendable {
            /// No member of the cluster gave an answer in time, or none has a leader.
            case unavailable
            /// The cluster refused the user, the password, the certificate or the right.
            case accessDenied
            /// The change is larger than etcd takes in one request, by default 1.5 MiB.
            case tooLarge
            /// One transaction has more changes than etcd takes.
            case tooManyChanges(limit: Int)
            /// The cluster's database is full.
            case noSpace
            /// What is stored does not decode as the requested type, or cannot be read at all.
            case notDecodable
            /// The item cannot be encoded as JSON.
            case notEncodable
            /// The schema that is published in the cluster does not allow the value; the description says what it allows.
            case notValid
            /// A newer version of the program stored the value.
            case newerVersion
            /// Others kept changing the same settings.
            case contended
            /// An address, a file or a name that was given cannot be used.
            case misconfigured
            /// The task was cancelled.
            case cancelled
            /// The cluster answered something else, which the description says.
            case refused
        }

        /// What a call that throws has changed. A call that returns has made its change exactly once.
        public enum Outcome: Equatable, Sendable {
            /// Nothing has changed, and nothing will.
            case didNotHappen
            /// The change may have been made, or may be made later: no answer came. Read the setting to find out.
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

        /// The error of a change whose decision throws no other.
        static func ofChange(_ error: any Error) -> FleetError { error as? FleetError ?? FleetError(.refused, "\(error)") }
    }

    extension FleetError: StoredValuesError {
        /// What happened, to which setting or server, and what to do; and whether the change may have been made.
        public var description: String {
            outcome == .didNotHappen
                ? sentence : "\(sentence) The change may have been made anyway: read the setting before you repeat it."
        }

        /// The status with which a command line program ends by this error, as `stored-values-fleet` does: a number of sysexits(3).
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
        /// The same for those who use the fleet, with advice. `what` is what could not be done.
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

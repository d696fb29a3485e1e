#if Fleet
    /// What a program shows to the cluster: files, which are read when a connection is needed, so that renewed ones are picked up.
    /// Nothing secret is ever an argument.
    public struct FleetAccess: Sendable, Equatable {
        /// The certificates of the authorities that may have signed the cluster's, in PEM; the system's if nil.
        public var authorities: String?
        /// This client's certificate, with those of its issuers after it, in PEM.
        public var certificate: String?
        /// The private key of the certificate, in PEM.
        public var key: String?
        /// A file with the line `name:password` that only its owner can read, a systemd credential, or a file in `/run/secrets` or a volume
        /// of Kubernetes, which others in the container may read.
        public var user: String?

        /// Access with these files; nil where the cluster wants none.
        public init(authorities: String? = nil, certificate: String? = nil, key: String? = nil, user: String? = nil) {
            (self.authorities, self.certificate, self.key, self.user) = (authorities, certificate, key, user)
        }
    }
#endif

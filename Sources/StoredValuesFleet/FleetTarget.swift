#if Fleet
    import StoredValuesSupport

    /// The machines that a setting is for. Where several settings of one key apply to a machine, the narrower one wins, and of
    /// several groups the one that the machine's agent names later.
    public enum FleetTarget: Hashable, Sendable, CustomStringConvertible {
        /// All machines.
        case everyone
        /// The machines whose agent names this group.
        case group(String)
        /// The machine whose agent has this name.
        case host(String)

        /// `everyone`, `group canary` or `host web-3`.
        public var description: String { words(" ") }

        /// Compares names as bytes, as the cluster does.
        public static func == (left: FleetTarget, right: FleetTarget) -> Bool { left.path.isIdentical(to: right.path) }

        /// Hashes the path. Names in different Unicode forms have the same hash.
        public func hash(into hasher: inout Hasher) { hasher.combine(path) }

        /// Its part of the cluster's keys.
        package var path: String { words("/") }

        private func words(_ separator: String) -> String {
            switch self {
            case .everyone: "everyone"
            case .group(let name): "group\(separator)\(name)"
            case .host(let name): "host\(separator)\(name)"
            }
        }

        /// Throws if the name would make the keys ambiguous.
        func check() throws(FleetError) {
            switch self {
            case .everyone: return
            case .group(let name), .host(let name):
                guard name.isEmpty || name.has("/") || name.has("\0") else { return }
                throw .misconfigured("\"\(name)\" is not the name of a group or host: it must not be empty or contain a slash.")
            }
        }
    }
#endif

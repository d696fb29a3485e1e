#if Fleet
    import StoredValues
    import StoredValuesSupport

    /// Whether an agent takes over what it has read from the cluster. Decides, and does nothing.
    enum MirrorVerdict: Equatable, Sendable {
        case adopt
        /// The same, if the cluster had settings at that revision: then they were removed since.
        case adoptIfRemoved(since: Int)
        /// The mirror stays as it is, and is not fresh.
        case keep(why: String)

        /// - Parameters:
        ///   - isEmpty: Whether the cluster has no settings of the application at all.
        ///   - origin: Where what was read comes from.
        ///   - mirror: What the mirror holds; nil if there is none.
        ///   - known: The latest state that this machine has seen; nil if it has seen none.
        init(isEmpty: Bool, origin: FleetMirror.Origin, mirror: FleetMirror?, known: FleetMirror.Origin?) {
            // A cluster whose data were lost begins anew with the same number (it is made of the members' addresses), and with
            // nothing: every machine would lose its settings at once. What others have stored since may have brought it past the
            // revision that is known here; then only its history tells.
            guard isEmpty, let mirror, !mirror.values.isEmpty, let known else {
                self = .adopt
                return
            }
            if !origin.cluster.isIdentical(to: known.cluster) {
                self = .keep(why: "another cluster answers, and it has no settings of this application; the last ones are kept until it has some")
            } else if origin.revision < known.revision {
                self = .keep(
                    why: "the cluster has lost its data: it is at revision \(origin.revision), was at \(known.revision), and has no settings; the last ones are kept until it has some")
            } else {
                self = .adoptIfRemoved(since: known.revision)
            }
        }
    }
#endif

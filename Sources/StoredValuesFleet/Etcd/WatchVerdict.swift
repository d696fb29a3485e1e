#if Fleet
    import StoredValuesSupport

    /// What an answer on a watch means for those who have all changes up to a revision of a cluster. Decides, and does nothing.
    enum WatchVerdict: Equatable, Sendable {
        /// These changes, which lead to that revision.
        case changes([EtcdWatchMessage.Event], revision: Int)
        /// The watch has begun, or nothing has changed.
        case nothing
        /// Changes were missed, or the history is another one.
        case readAgain(why: String)
        /// The cluster does not let this user watch.
        case refused(why: String)

        init(_ answer: EtcdWatchMessage.Answer, after revision: Int, in cluster: String) {
            guard answer.header.cluster_id.isIdentical(to: cluster) else {
                self = .readAgain(why: "another cluster answers")
                return
            }
            if answer.canceled == true {
                self =
                    if let compacted = answer.compact_revision?.value, compacted > 0 {
                        .readAgain(why: "the cluster was compacted up to revision \(compacted), after revision \(revision)")
                    } else {
                        .refused(why: answer.cancel_reason?.asOneLine(upTo: EtcdError.longestReason) ?? "the cluster ended the watch without a reason")
                    }
                return
            }
            let events = answer.events ?? []
            guard !events.isEmpty else {
                // The revision when the watch began. If it is lower than ours, the cluster was restored from an older copy, and a
                // watch that begins after ours would be silent until new changes have come as far.
                let wentBack = answer.created == true && answer.revision < revision
                self = wentBack ? .readAgain(why: "the cluster went back to revision \(answer.revision)") : .nothing
                return
            }
            let revisions = events.map { $0.kv.mod_revision?.value ?? 0 }
            guard let last = revisions.max(), revisions.allSatisfy({ $0 > revision }) else {
                self = .readAgain(why: "the cluster repeated a revision")
                return
            }
            // Not the revision of the answer: to a watch that lags behind, etcd sends a thousand revisions at a time, and says with
            // each part how far the cluster is (watchBatchMaxRevs).
            self = .changes(events, revision: last)
        }
    }
#endif

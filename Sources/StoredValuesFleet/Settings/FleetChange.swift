#if Fleet
    import FoundationEssentials
    import StoredValues

    /// One transaction on settings: what is there, what is to be there, and the record for the log. Decides nothing about the wire.
    struct FleetChange: Sendable {
        /// The most settings in one transaction: etcd takes 128 steps by default, and the record is one.
        static let limit = 127

        /// What is stored under one key of the cluster.
        struct Found: Sendable, Equatable {
            var data: Data?
            /// The revision of its last change; 0 if there is nothing.
            var revision = 0

            init(_ found: EtcdKeyValue?) {
                guard let found else { return }
                (data, revision) = (found.value ?? Data(), found.mod_revision?.value ?? 0)
            }
        }

        /// What etcd made of it.
        enum Verdict: Equatable, Sendable {
            /// It is made, now or by an earlier attempt, at this revision.
            case made(revision: Int)
            /// Others have changed the same keys; this is there now.
            case conflict([Found])
        }

        /// The keys, each with what was there when the change was decided, and what is to be there; nil removes it.
        var steps: [(key: Data, found: Found, new: Data?)]
        /// The same for all attempts: by it a repeated one finds out that an earlier one was made after all.
        let logKey: Data
        var record: FleetLogRecord

        /// Makes the changes if nothing has changed since and no earlier attempt was made; else reads what is there.
        var transaction: EtcdTransaction {
            EtcdTransaction(
                compare: [.isMissing(logKey)] + steps.map { .lastChange(of: $0.key, is: $0.found.revision) },
                success: steps.map { step in step.new.map { .put(step.key, $0) } ?? .delete(step.key) } + [.put(logKey, record.data)],
                failure: [.read(logKey)] + steps.map { .read($0.key) })
        }

        /// What the answer to the transaction means; nil if it does not fit the transaction.
        func verdict(_ answer: EtcdTransactionAnswer) -> Verdict? {
            if answer.succeeded == true { return .made(revision: answer.revision) }
            let found = answer.found
            guard found.count == steps.count + 1 else { return nil }
            if let log = found[0] { return .made(revision: log.mod_revision?.value ?? 0) }
            return .conflict(found.dropFirst().map(Found.init))
        }
    }
#endif

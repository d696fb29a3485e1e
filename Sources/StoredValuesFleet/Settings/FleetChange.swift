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
            /// It is made, now or by an earlier attempt: the decision with this number, counted from 1.
            case made(decision: Int)
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

        /// Which decision a record of the log tells of, of so many.
        static func decision(of record: Data, last: Int) -> Int {
            let decision = FleetLogRecord(record, revision: 0).decision
            return (1...last).contains(decision) ? decision : last
        }

        /// Whether an attempt may still be made after others have changed the keys: see ``verdict(_:)``.
        var mayStillHappen: Bool { steps.contains { $0.found.revision == 0 } }

        /// What the answer to the transaction means; nil if it does not fit the transaction.
        ///
        /// It may be an earlier decision that was made, after a conflict: an attempt that expects nothing under a key and is delayed until others
        /// have stored something there and removed it. That a key was last changed at a revision never holds again; that it is missing does.
        func verdict(_ answer: EtcdTransactionAnswer) -> Verdict? {
            if answer.succeeded == true { return .made(decision: record.decision) }
            let found = answer.found
            guard found.count == steps.count + 1 else { return nil }
            if let log = found[0] { return .made(decision: Self.decision(of: log.value ?? Data(), last: record.decision)) }
            return .conflict(found.dropFirst().map(Found.init))
        }
    }
#endif

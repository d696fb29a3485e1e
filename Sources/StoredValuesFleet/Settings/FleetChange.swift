#if Fleet
    import FoundationEssentials
    import StoredValues

    /// One transaction on settings: what is there, what is to be there, and the record for the log.
    struct FleetChange: Sendable {
        /// The most settings in one transaction: etcd takes 128 steps by default, and the record and the mark are two.
        static let limit = 126

        /// A key, what was there when the change was decided, and what is to be there; nil removes it, and the same only must not be changed
        /// by others meanwhile.
        struct Step: Sendable {
            let key: Data
            let found: EtcdKeyValue?
            let new: Data?

            fileprivate var put: JSONValue? {
                guard let new else { return EtcdStep.delete(key) }
                return new == found?.value ? nil : EtcdStep.put(key, new)
            }
        }

        /// What etcd made of it.
        enum Verdict: Equatable, Sendable {
            /// It is made, now or by an earlier attempt: the decision with this number, counted from 1.
            case made(decision: Int)
            /// Others have changed the same keys, or the schema; this is there now.
            case conflict([EtcdKeyValue?])
        }

        var steps: [Step]
        /// The same for all attempts: by it a repeated one finds out that an earlier one was made after all.
        let logKey: Data
        /// The key that each change puts: ``FleetKeys/mark``.
        let mark: Data
        var record: FleetLogRecord
        /// The schema by which the change was checked, which still counts if it was last changed at that revision; nil if it was not checked.
        var schema: (key: Data, revision: Int)?

        /// Makes the changes if nothing has changed since and no earlier attempt was made; else reads what is there.
        var transaction: EtcdRequest {
            .transaction(
                if: [EtcdStep.lastChange(of: logKey, is: 0)] + steps.map { EtcdStep.lastChange(of: $0.key, is: $0.found?.revision ?? 0) }
                    + (schema.map { [EtcdStep.lastChange(of: $0.key, is: $0.revision)] } ?? []),
                steps.compactMap(\.put) + [EtcdStep.put(mark, logKey), EtcdStep.put(logKey, record.data)],
                else: [EtcdStep.read(logKey)] + steps.map { EtcdStep.read($0.key) } + (schema.map { [EtcdStep.read($0.key)] } ?? []), about: steps[0].key, isChange: true)
        }

        /// Which decision a record of the log tells of, of so many.
        static func decision(of record: Data, last: Int) -> Int {
            let decision = FleetLogRecord(record, revision: 0).decision
            return (1...last).contains(decision) ? decision : last
        }

        /// Whether an attempt that got no answer may still be made after others have changed the keys: see ``verdict(_:)``.
        var mayStillHappen: Bool { steps.contains { $0.found == nil } }

        /// What the answer to the transaction means; nil if it does not fit the transaction.
        ///
        /// It may be an earlier decision that was made, after a conflict: an attempt that expects nothing under a key and is delayed until others
        /// have stored something there and removed it. That a key was last changed at a revision never holds again; that it is missing does.
        func verdict(_ answer: EtcdAnswer) -> Verdict? {
            if answer.succeeded { return .made(decision: record.decision) }
            guard answer.found.count == steps.count + (schema == nil ? 1 : 2) else { return nil }
            if let log = answer.found[0] { return .made(decision: Self.decision(of: log.value, last: record.decision)) }
            return .conflict(Array(answer.found.dropFirst().prefix(steps.count)))
        }
    }
#endif

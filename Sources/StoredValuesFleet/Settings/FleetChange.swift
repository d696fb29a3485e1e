#if Fleet
    import FoundationEssentials
    import StoredValues

    /// One transaction on settings: the expected and the new values, and the record for the log.
    struct FleetChange: Sendable {
        /// The most settings in one transaction: etcd takes 128 steps by default, and the record and the mark are two.
        static let limit = 126

        /// A key, its value when the change was decided, and the new value: nil removes it, and an equal one only requires that nobody has changed
        /// it in the meantime.
        struct Step: Sendable {
            let key: Data
            let found: EtcdKeyValue?
            let new: Data?

            fileprivate var put: JSONValue? {
                guard let new else { return EtcdStep.delete(key) }
                return new == found?.value ? nil : EtcdStep.put(key, new)
            }
        }

        enum Verdict: Equatable, Sendable {
            /// The decision with this number, counted from 1, was made by this or an earlier attempt.
            case made(decision: Int)
            /// Others have changed the same keys, or the schema. The keys have these values now.
            case conflict([EtcdKeyValue?])
        }

        var steps: [Step]
        /// The key of the log's record. It is the same for all attempts: by it, a later one finds out that an earlier one was made.
        let logKey: Data
        /// ``FleetKeys/mark``.
        let mark: Data
        var record: FleetLogRecord
        /// The schema that allows the change, and its revision, which must still be the same; nil if the change was not checked.
        var schema: (key: Data, revision: Int)?

        /// Makes the changes if the keys have not changed and no earlier attempt was made; otherwise reads the keys.
        var transaction: EtcdRequest {
            .transaction(
                if: [EtcdStep.lastChange(of: logKey, is: 0)] + steps.map { EtcdStep.lastChange(of: $0.key, is: $0.found?.revision ?? 0) }
                    + (schema.map { [EtcdStep.lastChange(of: $0.key, is: $0.revision)] } ?? []),
                steps.compactMap(\.put) + [EtcdStep.put(mark, logKey), EtcdStep.put(logKey, record.data)],
                else: [EtcdStep.read(logKey)] + steps.map { EtcdStep.read($0.key) } + (schema.map { [EtcdStep.read($0.key)] } ?? []), about: steps[0].key, isChange: true)
        }

        /// The number of the decision in a record of the log; `last` if it is not valid.
        static func decision(of record: Data, last: Int) -> Int {
            let decision = FleetLogRecord(record, revision: 0).decision
            return (1...last).contains(decision) ? decision : last
        }

        /// Whether an attempt without an answer may still be made after this answer to a later one, which was a conflict: if others remove again
        /// each key that it expects to be missing. A key can be missing again; it never has an earlier revision again.
        func mayStillHappen(after answer: EtcdAnswer) -> Bool {
            let expected = steps.map { $0.found?.revision ?? 0 } + (schema.map { [$0.revision] } ?? [])
            let now = answer.found.dropFirst().map { $0?.revision ?? 0 }
            return zip(expected, now).allSatisfy { $0 == 0 || $0 == $1 }
        }

        /// What the answer means; nil if it does not fit the transaction.
        ///
        /// After a conflict, an earlier decision may still be made: see ``mayStillHappen(after:)``.
        func verdict(_ answer: EtcdAnswer) -> Verdict? {
            if answer.succeeded { return .made(decision: record.decision) }
            guard answer.found.count == steps.count + (schema == nil ? 1 : 2) else { return nil }
            if let log = answer.found[0] { return .made(decision: Self.decision(of: log.value, last: record.decision)) }
            return .conflict(Array(answer.found.dropFirst().prefix(steps.count)))
        }
    }
#endif

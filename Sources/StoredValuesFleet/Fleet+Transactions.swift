#if Fleet
    import FoundationEssentials
    import StoredValues
    import StoredValuesSupport

    extension Fleet {
        /// What is to be stored under a key.
        struct Content: Sendable {
            var json: JSONValue
            /// Nil for what the old value has.
            var version: Int?

            /// Throws if programs could not read it from a preferences file.
            init(checking json: JSONValue, version: Int?, _ key: String) throws(FleetError) {
                // As deep as it will lie in the log.
                let record: JSONValue = ["changes": [["to": json]]]
                guard JSONValue(text: record.text(onOneLine: true)) != nil else {
                    throw FleetError(.notEncodable, "The value of \"\(key)\" is nested too deeply to be read again. Store a flatter one.")
                }
                (self.json, self.version) = (json, version)
            }
        }

        static func content<Item: StorableItem>(_ item: Item, _ key: String) throws(FleetError) -> Content {
            let (json, version): (JSONValue, Int)
            do { (json, version) = try ItemCoding.encode(item) } catch {
                throw FleetError(.notEncodable, "The new value of \"\(key)\" cannot be encoded: \(error). Correct the item or its encode(to:).")
            }
            return try Content(checking: json, version: version, key)
        }

        static func item<Item: StorableItem>(_ type: Item.Type, in record: FleetRecord, _ key: String) throws(FleetError) -> Item {
            do {
                return try ItemCoding.decode(type, from: record.value, version: record.version)
            } catch let error as ItemCoding.NewerVersion {
                throw FleetError(
                    .newerVersion,
                    "A newer version of the program stored \"\(key)\" (its version is \(error.stored), this program knows up to \(error.supported)). Update the program.")
            } catch {
                throw FleetError(.notDecodable, "What is stored under \"\(key)\" does not decode as \(type). Set it again, or use the right type.")
            }
        }

        static func place(_ key: String, _ target: FleetTarget) throws(FleetError) -> FleetKeys.Place {
            try target.check()
            guard !key.isEmpty, !key.isReservedKey, !key.has("\0") else {
                throw .misconfigured("\"\(key)\" is not a valid key: keys must not be empty or begin with $.")
            }
            return FleetKeys.Place(target: target, key: PreferencesKey(key))
        }

        /// The record of a setting; nil if there is none. Throws if what lies there is not a record.
        package func record(_ key: String, for target: FleetTarget) async throws(FleetError) -> FleetRecord? {
            let place = try Self.place(key, target)
            let found: FleetChange.Found
            do throws(EtcdError) { found = try await read([keys.key(of: place)], end: .now + patience)[0] } catch {
                throw FleetError(error.asReading, "read \"\(key)\"")
            }
            return try Self.record(found, place)
        }

        static func record(_ found: FleetChange.Found, _ place: FleetKeys.Place) throws(FleetError) -> FleetRecord? {
            guard let data = found.data else { return nil }
            guard let record = FleetRecord(data) else {
                throw FleetError(
                    .notDecodable, "What lies under \"\(place.key.text)\" for \(place.target) is not a setting that StoredValues wrote. Set it again.")
            }
            return record
        }

        /// Reads the settings at `places`, and replaces them with what `decide` returns for them, nil removing one, unless others have
        /// changed them meanwhile; then it decides again, on what is there then.
        @discardableResult
        nonisolated(nonsending) func transact<Result>(
            _ places: [FleetKeys.Place], _ what: String, _ decide: ([FleetChange.Found]) throws -> ([Content?], Result)
        ) async throws -> Result {
            try await change(places.map { keys.key(of: $0) }, what) { found, stamp in
                let old = found.map(\.record)
                let (new, result) = try decide(found)
                let records = zip(new, old).map { content, old in
                    content.map { FleetRecord(value: $0.json, version: $0.version ?? old?.version ?? 0, writer: writer, time: stamp) }
                }
                let changes = places.indices.map { position in
                    FleetLogRecord.Change(
                        key: places[position].key.text, target: places[position].target.path, from: old[position]?.value,
                        to: records[position]?.value)
                }
                return (records.map { $0?.data }, changes, result)
            }
        }

        /// The same for any keys of the cluster. `decide` gets what is there and the time for records, and returns what is to be
        /// there, what the log says of it, and the result.
        nonisolated(nonsending) func change<Result>(
            _ keys: [Data], _ what: String,
            _ decide: ([FleetChange.Found], String) throws -> (new: [Data?], changes: [FleetLogRecord.Change], result: Result)
        ) async throws -> Result {
            let end = ContinuousClock.now + patience
            let time = Date.now, stamp = FleetRecord.stamp(time)
            let logKey = self.keys.newLogKey(at: time)
            var found: [FleetChange.Found]
            do throws(EtcdError) { found = try await read(keys, end: end) } catch { throw FleetError(error.asReading, what) }
            var results: [Result] = []
            var mayStillHappen = false
            while true {
                let (new, changes, result): ([Data?], [FleetLogRecord.Change], Result)
                do { (new, changes, result) = try decide(found, stamp) } catch let error as FleetError where mayStillHappen {
                    throw FleetError(error.reason, error.sentence, outcome: .mayHaveHappened)
                }
                results.append(result)
                if zip(found, new).allSatisfy({ $0.data == nil && $1 == nil }) { return result }  // nothing is there, and nothing is to be
                let change = FleetChange(
                    steps: keys.indices.map { (keys[$0], found[$0], new[$0]) }, logKey: logKey,
                    record: FleetLogRecord(time: stamp, writer: writer, changes: changes, decision: results.count))
                let answer: EtcdTransactionAnswer
                do throws(EtcdError) {
                    answer = try await gateway.ask("/v3/kv/txn", change.transaction, patience: end - .now)
                } catch {
                    var refusal = error
                    if error.reason == .noSpace {
                        // Where the last space is used up just then, etcd makes the change, and says so all the same
                        // (quotaApplierV3 of its server).
                        do throws(EtcdError) {
                            if let log = try await read([logKey], end: .now + EtcdGateway.attemptLimit)[0].data {
                                return results[FleetChange.decision(of: log, last: results.count) - 1]
                            }
                        } catch {
                            refusal.mayHaveHappened = true
                        }
                    }
                    refusal.mayHaveHappened = refusal.mayHaveHappened || mayStillHappen
                    throw FleetError(refusal, what)
                }
                switch change.verdict(answer) {
                case .made(let decision): return results[decision - 1]
                case .conflict(let now): (found, mayStillHappen) = (now, mayStillHappen || change.mayStillHappen)
                case nil: throw FleetError(.refused, "Could not \(what): the cluster's answer does not fit the request.", outcome: .mayHaveHappened)
                }
                guard ContinuousClock.now < end else {
                    throw FleetError(.contended, "Could not \(what) within \(patience): others changed it again and again. Try again.",
                        outcome: mayStillHappen ? .mayHaveHappened : .didNotHappen)
                }
                guard await pause(for: .microseconds(Int.random(in: 0...5000))) else {
                    throw FleetError(.cancelled, "The task was cancelled before it could \(what).", outcome: mayStillHappen ? .mayHaveHappened : .didNotHappen)
                }
            }
        }

        /// What is stored under `keys`, all at one moment.
        func read(_ keys: [Data], end: ContinuousClock.Instant) async throws(EtcdError) -> [FleetChange.Found] {
            if keys.count == 1 {
                let answer: EtcdRangeAnswer = try await gateway.ask("/v3/kv/range", EtcdRangeRequest(key: keys[0]), patience: end - .now)
                return [FleetChange.Found(answer.kvs?.first)]
            }
            let request = EtcdTransaction(compare: [], success: keys.map { .read($0) }, failure: [])
            let answer: EtcdTransactionAnswer = try await gateway.ask("/v3/kv/txn", request, patience: end - .now)
            guard answer.found.count == keys.count else { throw .unintelligible(gateway.endpoints[0]) }
            return answer.found.map(FleetChange.Found.init)
        }
    }

    extension EtcdError {
        /// The same for a request that changes nothing.
        var asReading: EtcdError {
            var error = self
            error.mayHaveHappened = false
            return error
        }
    }

    extension FleetChange.Found {
        /// What is stored, as a record; nil if there is none, or nothing.
        var record: FleetRecord? { data.flatMap(FleetRecord.init) }
    }
#endif

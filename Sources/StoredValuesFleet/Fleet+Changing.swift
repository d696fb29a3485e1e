#if Fleet
    import FoundationEssentials
    package import StoredValues
    import StoredValuesSupport

    extension Fleet {
        // MARK: Items and records

        static func place(_ key: String, _ target: FleetTarget) throws(FleetError) -> FleetKeys.Place {
            try target.check()
            guard !key.isEmpty, !key.isReservedKey, !key.has("\0") else {
                throw .misconfigured("\"\(key)\" is not a valid key: keys must not be empty or begin with $.")
            }
            return FleetKeys.Place(target: target, key: PreferencesKey(key))
        }

        /// Throws if the key, or the name of the group or host, is not valid.
        package func check(_ key: String, for target: FleetTarget) throws(FleetError) { _ = try Self.place(key, target) }

        static func encoded(_ item: some StorableItem, _ key: String) throws(FleetError) -> FleetMirror.Value {
            let (json, version): (JSONValue, Int)
            do { (json, version) = try ItemCoding.encode(item) } catch {
                throw FleetError(.notEncodable, "The new value of \"\(key)\" cannot be encoded: \(ItemCoding.reason(error)). Correct the item or its encode(to:).")
            }
            try check(json, key)
            return FleetMirror.Value(json: json, version: version)
        }

        /// Throws if it would be too deep to be read from a preferences file, or from the log, which adds three levels.
        private static func check(_ json: JSONValue, _ key: String) throws(FleetError) {
            guard json.isDeeper(than: JSONValue.maximumDepth - 3) else { return }
            throw FleetError(.notEncodable, "The value of \"\(key)\" is nested too deeply to be read again. Store a flatter one.")
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

        /// The record of a setting; nil if there is none. Throws if the key's content is not a valid record.
        package func record(_ key: String, for target: FleetTarget) async throws(FleetError) -> FleetRecord? {
            let place = try Self.place(key, target)
            return try Self.record(try await read([keys.key(of: place)], "read \"\(key)\"", end: .now + timeout)[0], place)
        }

        static func record(_ found: EtcdKeyValue?, _ place: FleetKeys.Place) throws(FleetError) -> FleetRecord? {
            guard let found else { return nil }
            if let record = FleetRecord(found.value) { return record }
            throw FleetError(
                .notDecodable, "The entry \"\(place.key.text)\" for \(place.target) is not a setting that StoredValues wrote. Set it again.")
        }

        // MARK: Changes of settings

        func commit(_ batch: FleetBatch) async throws(FleetError) {
            let contents = batch.contents
            guard let first = contents.first else { return }
            guard contents.count <= FleetChange.limit else {
                throw FleetError(
                    .tooManyChanges(limit: FleetChange.limit),
                    "One transaction takes at most \(FleetChange.limit) settings, and this one has \(contents.count). Make several.")
            }
            let what = contents.count == 1 ? "change \"\(first.place.key.text)\"" : "change \(contents.count) settings"
            do {
                try await changeSettings(contents.map(\.place), what, isChecked: true) { _ in (contents.map(\.value), ()) }
            } catch { throw .ofChange(error) }
        }

        /// Stores JSON with the version of the old value, or removes the setting if it is nil. Returns the old value. With `force` the schema is not
        /// checked, and the log has this text as the remark.
        @discardableResult
        package func replace(
            _ key: String, with json: JSONValue?, for target: FleetTarget, force: String? = nil
        ) async throws(FleetError) -> JSONValue? {
            let place = try Self.place(key, target)
            if let json { try Self.check(json, key) }
            do {
                return try await changeSettings([place], "change \"\(key)\"", remark: force, isChecked: force == nil && json != nil) { found in
                    let old = found[0].flatMap { FleetRecord($0.value) }
                    // An invalid record has no value, but exists.
                    return ([json.map { FleetMirror.Value(json: $0, version: old?.version ?? 0) }], found[0].map { _ in old?.value ?? .null })
                }
            } catch { throw .ofChange(error) }
        }

        // MARK: Transactions

        /// ``change(_:_:remark:isChecked:_:)`` for settings: `decide` returns the new value for each of `places`, nil to remove it.
        @discardableResult
        nonisolated(nonsending) func changeSettings<Result>(
            _ places: [FleetKeys.Place], _ what: String, remark: String? = nil, isChecked: Bool = false,
            _ decide: (_ found: [EtcdKeyValue?]) throws -> (values: [FleetMirror.Value?], result: Result)
        ) async throws -> Result {
            try await change(places.map { keys.key(of: $0) }, what, remark: remark, isChecked: isChecked) { found, stamp in
                let (values, result) = try decide(found)
                let steps = zip(zip(places, found), values).map { there, new -> (new: Data?, log: FleetLogRecord.Change?) in
                    let record = new.map { FleetRecord(value: $0.json, version: $0.version, writer: writer, time: stamp) }
                    return (record?.data, FleetLogRecord.Change(there.0, from: there.1, to: new))
                }
                return (steps, result)
            }
        }

        /// Replaces what is stored under `keys` with what `decide` makes of it, in one transaction. If others have changed a key in the meantime,
        /// `decide` runs again with the new content. It also gets the time for records, and returns no steps if nothing is to be changed; a step
        /// without `log` is left out of the log. With `isChecked` the published schema must allow the new values.
        ///
        /// Returns the result of the decision that was made, which after a lost answer need not be the last one.
        @discardableResult
        nonisolated(nonsending) func change<Result>(
            _ keys: [Data], _ what: String, remark: String? = nil, isChecked: Bool = false,
            _ decide: (_ found: [EtcdKeyValue?], _ stamp: String) throws -> (steps: [(new: Data?, log: FleetLogRecord.Change?)], result: Result)
        ) async throws -> Result {
            let end = ContinuousClock.now + timeout
            let time = Date.now, stamp = FleetRecord.stamp(time)
            let logKey = self.keys.newLogKey(at: time)
            var found = try await read(keys, what, end: end)
            var results: [Result] = []
            var mayStillHappen = false
            func outcome() -> FleetError.Outcome { mayStillHappen ? .mayHaveHappened : .didNotHappen }
            while true {
                let (decided, result): (steps: [(new: Data?, log: FleetLogRecord.Change?)], result: Result)
                var schema: (key: Data, revision: Int)?
                do {
                    (decided, result) = try decide(found, stamp)
                    if isChecked { schema = (self.keys.schema, try await check(decided.compactMap(\.log), end: end)) }
                } catch let error as FleetError where mayStillHappen {
                    // Any other error of `decide` is thrown as it is: that of a closure in `update`, of an undo, or of secrets' keys.
                    throw FleetError(error.reason, error.sentence, outcome: .mayHaveHappened)
                }
                let steps = zip(zip(keys, found), decided).map { FleetChange.Step(key: $0.0, found: $0.1, new: $1.new) }
                guard steps.contains(where: { $0.found != nil || $0.new != nil }) else { return result }
                results.append(result)
                let record = FleetLogRecord(
                    time: stamp, writer: writer, changes: decided.compactMap(\.log), remark: remark, decision: results.count)
                let change = FleetChange(steps: steps, logKey: logKey, mark: self.keys.mark, record: record, schema: schema)
                let answer: EtcdAnswer
                do throws(EtcdError) { answer = try await gateway.ask(change.transaction, timeout: end - .now) } catch {
                    var refusal = error
                    refusal.mayHaveHappened = refusal.mayHaveHappened || mayStillHappen
                    if error.reason == .noSpace {
                        // etcd also answers this if it has made the change with the last space that was left (its quotaApplierV3).
                        do throws(FleetError) {
                            let log = try await read([logKey], what, end: .now + EtcdGateway.attemptLimit)[0]
                            if let log { return results[FleetChange.decision(of: log.value, last: results.count) - 1] }
                        } catch {
                            refusal.mayHaveHappened = true
                        }
                    }
                    throw FleetError(refusal, what)
                }
                switch change.verdict(answer) {
                case .made(let decision): return results[decision - 1]
                case .conflict(let now):
                    (found, mayStillHappen) = (now, mayStillHappen || answer.isAfterDoubt && change.mayStillHappen(after: answer))
                    if isChecked { schemas.learn(answer.found.last ?? nil) }
                case nil: throw FleetError(.refused, "Could not \(what): the cluster's answer does not fit the request.", outcome: .mayHaveHappened)
                }
                guard ContinuousClock.now < end else {
                    throw FleetError(.contended, "Could not \(what) within \(timeout): others kept changing it. Try again.", outcome: outcome())
                }
                guard await pause(for: .microseconds(Int.random(in: 0...5000))) else {
                    throw FleetError(.cancelled, "The task was cancelled before it could \(what).", outcome: outcome())
                }
            }
        }

        /// The content of `keys` at one moment; `what` is for the error.
        func read(_ keys: [Data], _ what: String, end: ContinuousClock.Instant) async throws(FleetError) -> [EtcdKeyValue?] {
            if keys.count == 1 { return [try await ask(.read(keys[0]), what, timeout: end - .now).entries.first] }
            // The keys of the secrets are adjacent.
            if keys.allSatisfy({ $0.starts(with: self.keys.secrets) }) {
                let there = try await ask(.read(self.keys.secrets, to: self.keys.secrets.endOfPrefix), what, timeout: end - .now).entries
                return keys.map { key in there.first { $0.key == key } }
            }
            let request = EtcdRequest.transaction(keys.map { EtcdStep.read($0) }, about: keys[0], isChange: false)
            let found = try await ask(request, what, timeout: end - .now).found
            guard found.count == keys.count else { throw FleetError(.unintelligible(gateway.endpoints[0]).asReading, what) }
            return found
        }

        /// The answer to a question; `what` is for the error.
        func ask(_ question: EtcdRequest, _ what: String, timeout: Duration) async throws(FleetError) -> EtcdAnswer {
            do throws(EtcdError) { return try await gateway.ask(question, timeout: timeout) } catch { throw FleetError(error.asReading, what) }
        }
    }
#endif

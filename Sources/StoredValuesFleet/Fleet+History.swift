#if Fleet
    package import FoundationEssentials
    import StoredValues

    /// Why a change cannot be undone, or the settings at a time are not known. Nothing was changed.
    package struct FleetHistoryError: StoredValuesError {
        package let description: String
        package var exitStatus: Int32 { 77 }
    }

    extension Fleet {
        // MARK: Undoing

        /// Undoes what the record of this revision changed, by a new change. Returns what that changed. Throws
        /// ``FleetHistoryError`` if anybody has changed one of these settings since, or their old values are not known.
        package func undo(_ revision: Int) async throws -> [FleetLogRecord.Change] {
            let what = "undo \(revision)"
            let records = try await records(
                what, more: Self.clockDifference, where: { $0.revision >= revision }, until: { $0.contains { $0.revision == revision } })
            guard let record = records.first, record.revision == revision else {
                throw FleetHistoryError(description: "The log has no record \(revision). stored-values-fleet log shows the records.")
            }
            let places = record.changes.compactMap { place(of: $0) }
            guard places.count == record.changes.count else {
                throw FleetHistoryError(description: "Record \(revision) is not of settings alone: changes of secrets and of the schema are not undone.")
            }
            for later in records.dropFirst() {
                guard let change = later.changes.first(where: { change in places.contains { $0 == place(of: change) } }) else { continue }
                throw FleetHistoryError(
                    description: """
                        \(later.writer) has changed "\(change.key)" for \(change.target) since, at \(later.time) (record \(later.revision)). Nothing \
                        was changed; set the value instead.
                        """)
            }
            let before = try await values(before: record, places)
            return try await changeSettings(places, what, remark: "undoes \(revision)") { found in
                // Changes by etcdctl have no record.
                for (found, change) in zip(found, record.changes) where found.map({ $0.revision != revision }) ?? (change.to != nil) {
                    throw FleetHistoryError(
                        description: "\"\(change.key)\" for \(change.target) was changed since, without a record. Nothing was changed; set the value instead.")
                }
                return (before, zip(zip(places, found), before).map { FleetLogRecord.Change($0.0, from: $0.1, to: $1) })
            }
        }

        /// The values before the record's changes: from etcd's history, which is exact, or from the record if that was compacted.
        private func values(before record: FleetLogRecord, _ places: [FleetKeys.Place]) async throws -> [FleetMirror.Value?] {
            let reads = places.map { EtcdStep.read(keys.key(of: $0), at: record.revision - 1) }
            do throws(EtcdError) {
                let request = EtcdRequest.transaction(reads, about: keys.settings, isChange: false)
                let found = try await gateway.ask(request, timeout: timeout).found
                guard found.count == places.count else { throw .unintelligible(gateway.endpoints[0]).asReading }
                return found.map { $0.flatMap { FleetRecord($0.value) }.map { FleetMirror.Value(json: $0.value, version: $0.version) } }
            } catch {
                guard error.isRefusal else { throw FleetError(error.asReading, "read the history") }
            }
            return try record.changes.map { change in
                guard let from = change.from else { return nil }
                guard let version = change.fromVersion else {
                    throw FleetHistoryError(
                        description: """
                            Of which version "\(change.key)" was is not known: an older tool has made the change, and the cluster's history was compacted. \
                            Nothing was changed; set the value instead.
                            """)
                }
                guard !change.isFromCut else {
                    throw FleetHistoryError(
                        description: """
                            What "\(change.key)" was is not known: values of more than 4 KiB are not in the log, and the cluster's history was \
                            compacted. Nothing was changed.
                            """)
                }
                return FleetMirror.Value(json: from, version: version)
            }
        }

        // MARK: Past settings

        /// All settings at that time, reconstructed from the log. Those that were changed since have no writer. Throws
        /// ``FleetHistoryError`` if the log does not go back that far.
        package func settings(at time: Date) async throws -> [FleetSetting] {
            let what = "read the settings of then"
            let answer = try await ask(keys.everything(), what, timeout: timeout)
            let first = try await ask(.read(keys.log, to: keys.log.endOfPrefix, ["limit": "1", "keys_only": true]), what, timeout: timeout)
            guard let oldest = first.entries.first?.key, oldest.lexicographicallyPrecedes(keys.logKeys(since: time + 0.001)) else {
                throw FleetHistoryError(description: "The log does not go back to that time. stored-values-fleet log shows how far it goes.")
            }
            let records = try await records(from: keys.logKeys(since: time - Self.clockDifference), to: keys.log.endOfPrefix, what) { $0.revision <= answer.revision }
            // A parsed time may be slightly too small, so that its text would be a millisecond less.
            let stamp = FleetRecord.stamp(time + 0.0005), cut = records.last { $0.time <= stamp && !$0.time.isEmpty }?.revision ?? 0
            // By place, which compares bytes: keys in different Unicode forms are equal as strings.
            let now = SettingsReplica(answer, keys).settings.map { (FleetKeys.Place(target: $0.target, key: PreferencesKey($0.key)), $0) }
            var settings = Dictionary(now) { $1 }
            for record in records.reversed() where record.revision > cut {
                for change in record.changes {
                    guard let place = place(of: change) else { continue }
                    settings[place] = change.from.map { value in
                        let record = FleetRecord(value: value, version: change.fromVersion ?? 0, writer: "", time: "")
                        return FleetSetting(key: place.key.text, target: place.target, record: record, revision: 0, isCut: change.isFromCut)
                    }
                }
            }
            return FleetSetting.sorted(Array(settings.values))
        }

        /// The setting that was changed; nil for a secret or the schema.
        private func place(of change: FleetLogRecord.Change) -> FleetKeys.Place? {
            change.isSecret ? nil : keys.place(of: keys.settings + Data("\(change.target)/\(change.key)"))
        }
    }

    extension FleetLogRecord.Change {
        init(_ place: FleetKeys.Place, from found: EtcdKeyValue?, to new: FleetMirror.Value?) {
            let old = found.flatMap { FleetRecord($0.value) }
            self.init(key: place.key.text, target: place.target.path, from: old?.value, to: new?.json, fromVersion: old?.version)
        }
    }
#endif

#if Fleet
    import FoundationEssentials
    package import StoredValues

    /// A setting in the cluster: the item's JSON, its version, and who wrote it when.
    package struct FleetRecord: Sendable, Equatable {
        package var value: JSONValue
        /// The version of the item's type; 0 if it has none.
        package var version: Int
        /// Who wrote it; not verified.
        package var writer: String
        /// When, by the writer's clock, in the form of ISO 8601.
        package var time: String
    }

    extension FleetRecord {
        /// Nil if the text is not a valid record.
        init?(_ data: Data) {
            guard let json = try? JSONValue(parsing: Array(data)), let value = json["value"], let version = (json["version"] ?? 0).intValue, version >= 0
            else { return nil }
            self.init(value: value, version: version, writer: json["by"]?.stringValue ?? "", time: json["at"]?.stringValue ?? "")
        }

        /// A time in the form of ISO 8601, in UTC with milliseconds.
        static func stamp(_ time: Date) -> String { time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }

        package var json: JSONValue {
            var json: JSONValue = ["at": .string(time), "by": .string(writer), "value": value]
            if version > 0 { json["version"] = JSONValue(version) }
            return json
        }

        var data: Data { Data(json.text(onOneLine: true)) }
    }

    /// A setting in the cluster, for lists.
    package struct FleetSetting: Sendable, Equatable {
        package var key: String
        package var target: FleetTarget
        /// Nil if the key's content is not a valid record.
        package var record: FleetRecord?
        /// The revision of its last change.
        package var revision: Int
        /// Whether the value is unknown, because the log has only its size.
        package var isCut = false
    }

    /// The log's record of one transaction: who changed what, when, from what and to what. The transaction itself writes it, so each change has
    /// exactly one.
    package struct FleetLogRecord: Sendable, Equatable {
        package struct Change: Sendable, Equatable {
            /// The setting, or the name of the secret.
            package var key: String
            package var target: String
            /// The JSON before and after; nil if there was none, or it is a secret.
            package var from: JSONValue?
            package var to: JSONValue?
            /// The version of the old item's type, 0 if it has none; nil if there was no item, or an older tool has written the record.
            var fromVersion: Int?
            /// Whether this is a secret, of which only the name is recorded.
            package var isSecret = false
            /// Whether the old value was too large for the log, so that `from` has only its size.
            var isFromCut = false
        }

        /// Of larger values only the size is recorded, because a change and its record must fit into one request.
        fileprivate static let valueLimit = 4 << 10

        package var time: String
        package var writer: String
        package var changes: [Change]
        /// A remark, such as which change this one undoes.
        package var remark: String?
        /// The revision that the changes made.
        package var revision = 0
        /// The number of the decision, counted from 1; each conflict leads to another decision. 0 if unknown.
        var decision = 1
    }

    extension FleetLogRecord {
        /// An invalid record becomes one that says so, because the log must not leave out a change.
        init(_ data: Data, revision: Int) {
            guard let json = try? JSONValue(parsing: Array(data)), let list = json["changes"]?.arrayValue else {
                self.init(time: "", writer: "", changes: [Change(key: "(a record that cannot be read)", target: "")], revision: revision, decision: 0)
                return
            }
            let changes = list.map { change in
                let secret = change["secret"]?.stringValue, isWhole = change["fromIsWhole"] == true
                return Change(
                    key: secret ?? change["key"]?.stringValue ?? "", target: change["for"]?.stringValue ?? "", from: change["from"],
                    to: change["to"], fromVersion: change["fromVersion"]?.intValue.flatMap { $0 < 0 ? nil : $0 }, isSecret: secret != nil,
                    isFromCut: !isWhole && change["from"]?.isLikeSize ?? false)
            }
            self.init(
                time: json["at"]?.stringValue ?? "", writer: json["by"]?.stringValue ?? "", changes: changes, remark: json["remark"]?.stringValue,
                revision: revision, decision: json["decision"]?.intValue ?? 1)
        }

        /// All but the decision.
        package var json: JSONValue { json(with: { $0 }) }

        private func json(with recorded: (JSONValue) -> JSONValue) -> JSONValue {
            let list = changes.map { change -> JSONValue in
                guard !change.isSecret else { return ["secret": .string(change.key)] }
                var json: JSONValue = ["key": .string(change.key), "for": .string(change.target)]
                json["from"] = change.from.map(recorded)
                // A value that looks like a size. Older versions misread it as one.
                if !change.isFromCut, change.from?.isLikeSize ?? false { json["fromIsWhole"] = true }
                json["to"] = change.to.map(recorded)
                json["fromVersion"] = change.fromVersion.map { JSONValue($0) }
                return json
            }
            var json: JSONValue = ["at": .string(time), "by": .string(writer), "changes": .array(list)]
            json["remark"] = remark.map { .string($0) }
            json["revision"] = revision > 0 ? JSONValue(revision) : nil
            return json
        }

        var data: Data {
            var json = self.json(with: { value in
                let size = value.text(onOneLine: true).utf8.count
                return size <= Self.valueLimit ? value : ["bytes": JSONValue(size)]
            })
            if decision > 1 { json["decision"] = JSONValue(decision) }
            return Data(json.text(onOneLine: true))
        }
    }

    extension JSONValue {
        /// Whether it looks like the size that the log has in place of a large value.
        fileprivate var isLikeSize: Bool {
            guard let size = self["bytes"]?.intValue, size > FleetLogRecord.valueLimit else { return false }
            return self == ["bytes": JSONValue(size)]
        }
    }
#endif

#if Fleet
    import FoundationEssentials
    package import StoredValues

    /// A setting as the cluster keeps it: the item's JSON, its version, and who wrote it when.
    package struct FleetRecord: Sendable, Equatable {
        package var value: JSONValue
        /// The version of the item's type; 0 if it has none.
        package var version: Int
        /// Who wrote it, as they say of themselves.
        package var writer: String
        /// When, by the writer's clock, in the form of ISO 8601.
        package var time: String
    }

    extension FleetRecord {
        /// The record with this text; nil if it is none.
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

    /// A setting in the cluster, for those who list them.
    package struct FleetSetting: Sendable, Equatable {
        package var key: String
        package var target: FleetTarget
        /// Nil if what lies there is not a record of ours.
        package var record: FleetRecord?
        /// The revision of its last change.
        package var revision: Int
        /// Whether the log, which it was read from, has only the size of the value.
        package var isCut = false
    }

    /// What one transaction changed: who, when, from what, to what. Written in it, so there is one for every change that was made, and no other.
    package struct FleetLogRecord: Sendable, Equatable {
        package struct Change: Sendable, Equatable {
            /// The setting, or the name of the secret.
            package var key: String
            package var target: String
            /// The JSON before and after; nil if there was none, or it is a secret.
            package var from: JSONValue?
            package var to: JSONValue?
            /// The version of the item's type before, 0 if it had none; nil if there was no item, or an older tool has written the record.
            var fromVersion: Int?
            /// Whether this is about a secret, of which only the name is recorded.
            package var isSecret = false
            /// Whether the value before was too large for the log, so that `from` is not that value, but tells its size.
            var isFromCut = false
        }

        /// Larger values are recorded by their size: a change must fit into one request with its record.
        fileprivate static let valueLimit = 4 << 10

        package var time: String
        package var writer: String
        package var changes: [Change]
        /// What there is to say of it, such as which change it undoes; nil for nothing.
        package var remark: String?
        /// The revision that the changes made.
        package var revision = 0
        /// Which decision this is, counted from 1: each conflict with others' changes leads to another one. 0 if nobody knows.
        var decision = 1
    }

    extension FleetLogRecord {
        /// The record with this text. What is none is shown as one that says so: no change is left out.
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
                // A value that looks like a size; older versions take it for one, as they do with their own.
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
            func text(_ recorded: (JSONValue) -> JSONValue) -> String {
                var json = self.json(with: recorded)
                if decision > 1 { json["decision"] = JSONValue(decision) }
                return json.text(onOneLine: true)
            }
            let whole = text { $0 }
            guard whole.utf8.count > Self.valueLimit else { return Data(whole) }
            return Data(
                text { value in
                    let size = value.text(onOneLine: true).utf8.count
                    return size <= Self.valueLimit ? value : ["bytes": JSONValue(size)]
                })
        }
    }

    extension JSONValue {
        /// Whether it has the form of what stands in the log for a value that was too large for it.
        fileprivate var isLikeSize: Bool {
            guard let size = self["bytes"]?.intValue, size > FleetLogRecord.valueLimit else { return false }
            return self == ["bytes": JSONValue(size)]
        }
    }
#endif

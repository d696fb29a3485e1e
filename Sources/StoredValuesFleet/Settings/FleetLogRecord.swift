#if Fleet
    import FoundationEssentials
    package import StoredValues

    /// What one transaction changed: who, when, from what, to what. It is written in that transaction, so there is one for every
    /// change that was made, and none for any other.
    package struct FleetLogRecord: Sendable, Equatable {
        package struct Change: Sendable, Equatable {
            /// The setting, or the name of the secret.
            package var key: String
            package var target: String
            /// The JSON before and after; nil if there was none, or it is a secret.
            package var from: JSONValue?
            package var to: JSONValue?
            /// Whether this is about a secret, of which only the name is recorded.
            package var isSecret = false
        }

        /// Larger values are recorded by their size: a change must fit into one request with its record.
        private static let valueLimit = 4 << 10

        package var time: String
        package var writer: String
        package var changes: [Change]
        /// The revision that the changes made.
        package var revision = 0
        /// Which decision this is, counted from 1: each conflict with others' changes leads to another one. 0 if nobody knows.
        var decision = 1

        init(time: String, writer: String, changes: [Change], decision: Int = 1) {
            (self.time, self.writer, self.changes, self.decision) = (time, writer, changes, decision)
        }

        /// The record with this text. What is none is shown as one that says so: no change is left out.
        init(_ data: Data, revision: Int) {
            guard let json = try? JSONValue(parsing: Array(data)), let list = json["changes"]?.arrayValue else {
                (time, writer, self.revision, decision) = ("", "", revision, 0)
                changes = [Change(key: "(a record that cannot be read)", target: "")]
                return
            }
            (time, writer, self.revision) = (json["at"]?.stringValue ?? "", json["by"]?.stringValue ?? "", revision)
            decision = json["decision"]?.intValue ?? 1
            changes = list.map { change in
                let secret = change["secret"]?.stringValue
                return Change(
                    key: secret ?? change["key"]?.stringValue ?? "", target: change["for"]?.stringValue ?? "", from: change["from"],
                    to: change["to"], isSecret: secret != nil)
            }
        }

        var data: Data {
            let whole = text { $0 }
            return Data(whole.utf8.count <= Self.valueLimit ? whole : text(Self.shortened))
        }

        private func text(_ recorded: (JSONValue) -> JSONValue) -> String {
            let list = changes.map { change -> JSONValue in
                guard !change.isSecret else { return ["secret": .string(change.key)] }
                var json: JSONValue = ["key": .string(change.key), "for": .string(change.target)]
                json["from"] = change.from.map(recorded)
                json["to"] = change.to.map(recorded)
                return json
            }
            var json: JSONValue = ["at": .string(time), "by": .string(writer), "changes": .array(list)]
            if decision > 1 { json["decision"] = JSONValue(decision) }
            return json.text(onOneLine: true)
        }

        private static func shortened(_ value: JSONValue) -> JSONValue {
            let size = value.text(onOneLine: true).utf8.count
            return size <= valueLimit ? value : ["bytes": JSONValue(size)]
        }
    }
#endif

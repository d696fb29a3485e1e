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

        init(value: JSONValue, version: Int, writer: String, time: String) {
            (self.value, self.version, self.writer, self.time) = (value, version, writer, time)
        }

        /// The record with this text; nil if it is none.
        init?(_ data: Data) {
            guard let json = try? JSONValue(parsing: Array(data)), let value = json["value"], let version = (json["version"] ?? 0).intValue, version >= 0
            else { return nil }
            self.init(value: value, version: version, writer: json["by"]?.stringValue ?? "", time: json["at"]?.stringValue ?? "")
        }

        /// A time in the form of ISO 8601, in UTC with milliseconds.
        static func stamp(_ time: Date) -> String { time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }

        var data: Data {
            var json: JSONValue = ["at": .string(time), "by": .string(writer), "value": value]
            if version > 0 { json["version"] = JSONValue(version) }
            return Data(json.text(onOneLine: true))
        }
    }

    /// A setting in the cluster, for those who list them.
    package struct FleetSetting: Sendable, Equatable {
        package var key: String
        package var target: FleetTarget
        /// Nil if what lies there is not a record of ours.
        package var record: FleetRecord?
        /// The revision of its last change.
        package var revision: Int
    }
#endif

import StoredValuesSupport

/// The content of a mirror file: a preferences file with the fleet's settings for this machine, and where they are from.
package struct FleetMirror: Sendable, Equatable {
    /// Where the settings are from: the reserved member `"$fleet": {"cluster": "cdf818194e3a8c32", "revision": 12}`.
    package struct Origin: Sendable, Equatable {
        /// Identifies the cluster.
        package var cluster: String
        /// The revision of the cluster that the settings were read at.
        package var revision: Int

        package init(cluster: String, revision: Int) { (self.cluster, self.revision) = (cluster, revision) }
    }

    /// A setting, and the version of the item type that wrote it, 0 if it has none.
    package struct Value: Sendable, Equatable {
        package var json: JSONValue
        package var version: Int

        package init(json: JSONValue, version: Int) { (self.json, self.version) = (json, version) }
    }

    /// Why a file is not a mirror.
    package struct Damage: Error, CustomStringConvertible {
        package let description: String
    }

    /// The name of the reserved member; keys never begin with a `$`.
    static let member: PreferencesKey = "$fleet"

    package var origin: Origin
    package var values: [PreferencesKey: Value]

    package init(origin: Origin, values: [PreferencesKey: Value]) { (self.origin, self.values) = (origin, values) }

    /// The mirror that the file with these bytes is. Throws why it is none.
    package init(parsing bytes: [UInt8]) throws {
        let document = try PreferencesDocument(parsing: bytes)
        let origin = document[Self.member].flatMap { try? JSONValue(parsing: $0) }
        guard let cluster = origin?["cluster"]?.stringValue, let revision = origin?["revision"]?.intValue, revision >= 0 else {
            throw Damage(description: "it does not say which cluster and revision it is from")
        }
        self.init(origin: Origin(cluster: cluster, revision: revision), values: [:])
        for key in document.keys.map({ PreferencesKey($0) }) where !key.text.isReservedKey {
            guard let stored = document.stored(key) else { continue }
            values[key] = Value(json: try JSONValue(parsing: stored.json), version: stored.version)
        }
    }

    /// The file: values under reserved names, which no program reads, are left out.
    package var bytes: [UInt8] {
        var document = PreferencesDocument()
        for (key, value) in values where !key.text.isEmpty && !key.text.isReservedKey {
            document.make(MemberChange(StoredJSON(json: value.json.text(level: 1), version: value.version)), of: key)
        }
        let origin: JSONValue = ["cluster": .string(origin.cluster), "revision": .number(JSONNumber(origin.revision))]
        document.set(Self.member, to: origin.text(level: 1))
        return document.text
    }
}

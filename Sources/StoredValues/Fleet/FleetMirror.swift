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

    /// The name of the reserved member; keys never begin with a `$`.
    static let member: PreferencesKey = "$fleet"

    package var origin: Origin
    package private(set) var values: [PreferencesKey: Value]
    /// The file with these values, where it was laid out.
    private var document: PreferencesDocument?

    package init(origin: Origin, values: [PreferencesKey: Value]) { (self.origin, self.values) = (origin, values) }

    /// Whether both have the same values, from the same place.
    package static func == (left: FleetMirror, right: FleetMirror) -> Bool { left.origin == right.origin && left.values == right.values }

    /// The value of a setting; nil if there is none.
    package subscript(key: PreferencesKey) -> Value? {
        get { values[key] }
        set {
            values[key] = newValue
            document?.make(newValue, of: key)
        }
    }

    /// The mirror that the file with these bytes is. Throws why it is none.
    package init(parsing bytes: [UInt8]) throws {
        let document = try PreferencesDocument(parsing: bytes)
        let origin = document[Self.member].flatMap { try? JSONValue(parsing: $0) }
        guard let cluster = origin?["cluster"]?.stringValue, let revision = origin?["revision"]?.intValue, revision >= 0 else {
            throw Explanation("it does not say which cluster and revision it is from")
        }
        self.init(origin: Origin(cluster: cluster, revision: revision), values: [:])
        for key in document.keys.map({ PreferencesKey($0) }) where !key.text.isReservedKey {
            guard let stored = document.stored(key) else { continue }
            values[key] = Value(json: try JSONValue(parsing: stored.json), version: stored.version)
        }
    }

    /// The file, without values under reserved names. It is kept: a change of one among many settings does not write all of them again.
    package mutating func layOut() -> [UInt8] {
        var document = document ?? values.reduce(into: PreferencesDocument()) { $0.make($1.value, of: $1.key) }
        let origin: JSONValue = ["cluster": .string(origin.cluster), "revision": .number(JSONNumber(origin.revision))]
        document.set(Self.member, to: origin.text(level: 1))
        document.layOut()
        self.document = document
        return document.text
    }
}

extension PreferencesDocument {
    fileprivate mutating func make(_ value: FleetMirror.Value?, of key: PreferencesKey) {
        guard !key.text.isEmpty, !key.text.isReservedKey else { return }
        make(MemberChange(value.map { StoredJSON(json: $0.json.text(level: 1), version: $0.version) }), of: key)
    }
}

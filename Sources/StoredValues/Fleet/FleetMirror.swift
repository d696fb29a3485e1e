import StoredValuesSupport

/// The content of a mirror file: a preferences file with the fleet's settings for this machine, and their origin.
package struct FleetMirror: Sendable, Equatable {
    /// The origin of the settings: the reserved member `"$fleet": {"cluster": "cdf818194e3a8c32", "revision": 12}`.
    package struct Origin: Sendable, Equatable {
        /// The id of the cluster.
        package var cluster: String
        /// The cluster's revision of the settings.
        package var revision: Int

        package init(cluster: String, revision: Int) { (self.cluster, self.revision) = (cluster, revision) }
    }

    /// A setting's value, and the version of its item type; 0 if that has none.
    package struct Value: Sendable, Equatable {
        package var json: JSONValue
        package var version: Int

        package init(json: JSONValue, version: Int) { (self.json, self.version) = (json, version) }
    }

    /// The name of the reserved member; keys never begin with a `$`.
    static let member: PreferencesKey = "$fleet"

    package var origin: Origin
    package private(set) var values: [PreferencesKey: Value]
    /// The file as it was last laid out.
    private var document = PreferencesDocument()
    /// The keys whose values have changed since.
    private var changed: Set<PreferencesKey>

    package init(origin: Origin, values: [PreferencesKey: Value]) { (self.origin, self.values, changed) = (origin, values, Set(values.keys)) }

    package static func == (left: FleetMirror, right: FleetMirror) -> Bool { left.origin == right.origin && left.values == right.values }

    package subscript(key: PreferencesKey) -> Value? {
        get { values[key] }
        set {
            values[key] = newValue
            changed.insert(key)
        }
    }

    /// Reads a mirror file. Throws why it is not valid.
    package init(parsing bytes: [UInt8]) throws {
        let document = try PreferencesDocument(parsing: bytes)
        let origin = document[Self.member].flatMap { try? JSONValue(parsing: $0) }
        guard let cluster = origin?["cluster"]?.stringValue, let revision = origin?["revision"]?.intValue, revision >= 0 else {
            throw Explanation("it does not say which cluster and revision it is from")
        }
        self.init(origin: Origin(cluster: cluster, revision: revision), values: [:])
        for key in document.keys.map({ PreferencesKey($0) }) where !key.text.isReservedKey {
            guard let stored = document.stored(key) else { continue }
            self[key] = Value(json: try JSONValue(parsing: stored.json), version: stored.version)
        }
    }

    /// The bytes of the file, without values under reserved names. Keeps the document, so that the next change encodes only what it changes.
    package mutating func layOut() -> [UInt8] {
        let origin: JSONValue = ["cluster": .string(origin.cluster), "revision": .number(JSONNumber(origin.revision))]
        var changes: MemberChanges = [Self.member: MemberChange(StoredJSON(json: origin.text(level: 1)))]
        for key in changed where !key.text.isEmpty && !key.text.isReservedKey {
            changes[key] = MemberChange(values[key].map { StoredJSON(json: $0.json.text(level: 1), version: $0.version) })
        }
        document.apply(changes)
        changed = []
        return document.text
    }
}

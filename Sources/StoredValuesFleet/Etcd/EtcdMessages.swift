#if Fleet
    import FoundationEssentials
    import StoredValues

    // What is used of the messages of etcd's JSON gateway, as seen on etcd 3.4: bytes are base64, numbers of 64 bits are texts, and
    // what is false, zero or empty is left out.

    /// What a member is asked.
    struct EtcdRequest: Sendable {
        let path: String
        let body: [UInt8]
        /// One of its keys: a member that answers a question about that says which cluster it belongs to.
        let key: Data
        /// Whether it may change something.
        let isChange: Bool

        init(_ path: String, _ json: JSONValue, about key: Data = Data(), isChange: Bool = false) {
            (self.path, body, self.key, self.isChange) = (path, Array(json.text(onOneLine: true).utf8), key, isChange)
        }

        /// Reads this key, or all from it to before `end`.
        static func read(_ key: Data, to end: Data? = nil, _ options: [String: JSONValue] = [:]) -> EtcdRequest {
            EtcdRequest("/v3/kv/range", keys(key, to: end, options), about: key)
        }

        /// Watches the same, from the change with that revision on.
        static func watch(_ key: Data, to end: Data?, from revision: Int) -> EtcdRequest {
            EtcdRequest("/v3/watch", ["create_request": keys(key, to: end, ["start_revision": .string("\(revision)")])])
        }

        private static func keys(_ key: Data, to end: Data?, _ options: [String: JSONValue]) -> JSONValue {
            var json = JSONValue.object(options)
            json["key"] = .bytes(key)
            json["range_end"] = end.map(JSONValue.bytes)
            return json
        }

        /// Takes some steps if all conditions hold, else others.
        static func transaction(
            if conditions: [JSONValue] = [], _ steps: [JSONValue], else others: [JSONValue] = [], about key: Data, isChange: Bool
        ) -> EtcdRequest {
            let json: JSONValue = ["compare": .array(conditions), "success": .array(steps), "failure": .array(others)]
            return EtcdRequest("/v3/kv/txn", json, about: key, isChange: isChange)
        }
    }

    /// The parts of a transaction.
    enum EtcdStep {
        static func put(_ key: Data, _ value: Data) -> JSONValue { ["request_put": ["key": .bytes(key), "value": .bytes(value)]] }
        static func delete(_ key: Data) -> JSONValue { ["request_delete_range": ["key": .bytes(key)]] }
        /// As it was at that revision; 0 is now.
        static func read(_ key: Data, at revision: Int = 0) -> JSONValue {
            ["request_range": ["key": .bytes(key), "revision": .string("\(revision)")]]
        }

        /// That the key was last changed at that revision; 0 if there is none.
        static func lastChange(of key: Data, is revision: Int) -> JSONValue {
            ["key": .bytes(key), "target": "MOD", "mod_revision": .string("\(revision)")]
        }
    }

    /// What is stored under a key.
    struct EtcdKeyValue: Equatable, Sendable {
        var key: Data
        var value = Data()
        /// That of its last change.
        var revision = 0
    }

    struct EtcdEvent: Equatable, Sendable {
        var isDeletion = false
        var entry: EtcdKeyValue
    }

    /// What a member answers, to whatever it is. The header tells of which data it speaks.
    struct EtcdAnswer: Equatable, Sendable {
        /// The cluster's number, which may be larger than any `Int`.
        var cluster: String
        /// The number of changes that the cluster has made so far.
        var revision = 0
        var entries: [EtcdKeyValue] = []
        /// How many keys there are, whatever the limit.
        var count = 0
        var hasMore = false
        /// Whether the conditions of a transaction held.
        var succeeded = false
        /// What each reading step of it found; nil where there is no such key.
        var found: [EtcdKeyValue?] = []
        /// Whether a watch has begun with this, or ended.
        var isCreated = false
        var isCanceled = false
        /// Up to which revision the history that was to be watched is gone; 0 if it is there.
        var compacted = 0
        var reason: String?
        var events: [EtcdEvent] = []
        /// Whether the member that was asked for its status knows a leader.
        var hasLeader = false
        /// The id of a lease that was granted.
        var lease: String?
        /// Whether an earlier attempt of the same request got no answer, and may have been carried out, or may be later.
        var isAfterDoubt = false
    }

    extension EtcdAnswer {
        /// The answer with this JSON; nil if it is none.
        init?(_ json: JSONValue) {
            guard let header = json["header"], let cluster = header["cluster_id"]?.stringValue, let revision = header["revision"].number,
                let entries = json["kvs"].list(EtcdKeyValue.init), let count = json["count"].number, let compacted = json["compact_revision"].number,
                let found = json["responses"].list({ ($0["response_range"]?["kvs"]).list(EtcdKeyValue.init).map(\.first) }),
                let events = json["events"].list({ event in
                    event["kv"].flatMap(EtcdKeyValue.init).map { EtcdEvent(isDeletion: event["type"] == "DELETE", entry: $0) }
                })
            else { return nil }
            self.init(
                cluster: cluster, revision: revision, entries: entries, count: count, hasMore: json["more"] == true,
                succeeded: json["succeeded"] == true, found: found, isCreated: json["created"] == true, isCanceled: json["canceled"] == true,
                compacted: compacted, reason: json["cancel_reason"]?.stringValue, events: events,
                hasLeader: !["0", nil].contains(json["leader"]?.stringValue), lease: json["ID"]?.stringValue)
        }
    }

    extension EtcdKeyValue {
        fileprivate init?(_ json: JSONValue) {
            guard json["key"] != nil, let key = json["key"].bytes, let value = json["value"].bytes, let revision = json["mod_revision"].number
            else { return nil }
            self.init(key: key, value: value, revision: revision)
        }
    }

    extension JSONValue {
        static func bytes(_ data: Data) -> JSONValue { .string(data.base64EncodedString()) }
    }

    /// Members of an answer; nil if they are something else. Nobody has so many revisions that one more would overflow.
    extension JSONValue? {
        fileprivate var number: Int? {
            guard let self, self != .null else { return 0 }
            return self.stringValue.flatMap { Int($0) }.flatMap { (0..<Int.max / 2).contains($0) ? $0 : nil }
        }

        fileprivate var bytes: Data? {
            guard let self, self != .null else { return Data() }
            return self.stringValue.flatMap { Data(base64Encoded: $0) }
        }

        fileprivate func list<Element>(_ element: (JSONValue) -> Element?) -> [Element]? {
            guard let self, self != .null else { return [] }
            guard let list = self.arrayValue else { return nil }
            let elements = list.compactMap(element)
            return elements.count == list.count ? elements : nil
        }
    }

    extension Data {
        init(_ text: String) { self.init(text.utf8) }

        /// The smallest key that is larger than all that begin with this one, which is UTF-8: no byte is the largest.
        var endOfPrefix: Data { self[..<(endIndex - 1)] + [self[endIndex - 1] + 1] }
    }
#endif

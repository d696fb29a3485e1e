#if Fleet
    import FoundationEssentials
    import StoredValues

    // The parts in use of the messages of etcd's JSON gateway, as seen on etcd 3.4: bytes are base64, numbers of 64 bits are strings, and
    // members that are false, zero or empty are left out.

    struct EtcdRequest: Sendable {
        let path: String
        let body: [UInt8]
        /// One of its keys, which the user may read: the answer to a question about it names the member's cluster.
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

        /// Watches the same, beginning with the change at that revision.
        static func watch(_ key: Data, to end: Data?, from revision: Int) -> EtcdRequest {
            EtcdRequest("/v3/watch", ["create_request": keys(key, to: end, ["start_revision": .string("\(revision)")])])
        }

        private static func keys(_ key: Data, to end: Data?, _ options: [String: JSONValue]) -> JSONValue {
            var json = JSONValue.object(options)
            json["key"] = .bytes(key)
            json["range_end"] = end.map(JSONValue.bytes)
            return json
        }

        /// Executes `steps` if all conditions hold, otherwise `others`.
        static func transaction(
            if conditions: [JSONValue] = [], _ steps: [JSONValue], else others: [JSONValue] = [], about key: Data, isChange: Bool
        ) -> EtcdRequest {
            let json: JSONValue = ["compare": .array(conditions), "success": .array(steps), "failure": .array(others)]
            return EtcdRequest("/v3/kv/txn", json, about: key, isChange: isChange)
        }
    }

    enum EtcdStep {
        static func put(_ key: Data, _ value: Data) -> JSONValue { ["request_put": ["key": .bytes(key), "value": .bytes(value)]] }
        static func delete(_ key: Data) -> JSONValue { ["request_delete_range": ["key": .bytes(key)]] }
        /// The key as it was at that revision; 0 is now.
        static func read(_ key: Data, at revision: Int = 0) -> JSONValue {
            ["request_range": ["key": .bytes(key), "revision": .string("\(revision)")]]
        }

        /// The condition that the key was last changed at that revision; 0 if it must not exist.
        static func lastChange(of key: Data, is revision: Int) -> JSONValue {
            ["key": .bytes(key), "target": "MOD", "mod_revision": .string("\(revision)")]
        }
    }

    struct EtcdKeyValue: Equatable, Sendable {
        var key: Data
        var value = Data()
        /// The revision of its last change.
        var revision = 0
    }

    struct EtcdEvent: Equatable, Sendable {
        var isDeletion = false
        var entry: EtcdKeyValue
    }

    /// A member's answer to any kind of request.
    struct EtcdAnswer: Equatable, Sendable {
        /// The cluster's id, which may be larger than any `Int`.
        var cluster: String
        /// The cluster's current revision.
        var revision = 0
        var entries: [EtcdKeyValue] = []
        /// The number of keys, regardless of the limit.
        var count = 0
        var hasMore = false
        /// Whether the conditions of a transaction held.
        var succeeded = false
        /// The result of each reading step of a transaction; nil if there is no such key.
        var found: [EtcdKeyValue?] = []
        /// Whether this answer began or ended a watch.
        var isCreated = false
        var isCanceled = false
        /// The revision up to which the history was compacted that was to be watched; 0 if it is there.
        var compacted = 0
        var reason: String?
        var events: [EtcdEvent] = []
        /// Whether the member knows a leader; in answers about its status.
        var hasLeader = false
        /// The id of the granted lease.
        var lease: String?
        /// Whether an earlier attempt of the same request got no answer, and may have been executed or may still be.
        var isAfterDoubt = false
    }

    extension EtcdAnswer {
        /// Nil if the JSON is not a valid answer.
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

    /// Members of an answer; nil if they have another type. Numbers are limited so that adding to them cannot overflow.
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

        /// The smallest key that is larger than all keys with this prefix. The prefix is UTF-8, so its last byte is not 0xFF.
        var endOfPrefix: Data { self[..<(endIndex - 1)] + [self[endIndex - 1] + 1] }
    }
#endif

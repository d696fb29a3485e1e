#if Fleet
    import FoundationEssentials

    // The messages of etcd's JSON gateway that we use, as seen on etcd 3.4: bytes are base64, numbers of 64 bits are texts, and
    // what is false, zero or empty is left out.

    /// A number of 64 bits.
    struct EtcdNumber: Codable, Equatable, Sendable, ExpressibleByIntegerLiteral {
        /// Nobody gets that far, and what is added to a smaller number does not overflow.
        static let limit = Int.max / 2

        let value: Int

        init(_ value: Int) { self.value = value }
        init(integerLiteral value: Int) { self.value = value }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            guard let value = Int(try container.decode(String.self)), (0..<Self.limit).contains(value) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a number of etcd's")
            }
            self.value = value
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(String(value))
        }
    }

    /// What every answer begins with.
    struct EtcdHeader: Codable, Equatable, Sendable {
        /// The cluster's number, which may be larger than any `Int`.
        var cluster_id: String
        /// The number of changes that the cluster has made so far.
        var revision: EtcdNumber?
    }

    /// An answer whose header tells which data it speaks of.
    protocol EtcdAnswer: Decodable, Sendable {
        var header: EtcdHeader { get }
    }

    extension EtcdAnswer {
        var revision: Int { header.revision?.value ?? 0 }
    }

    struct EtcdKeyValue: Codable, Equatable, Sendable {
        var key: Data
        var value: Data?
        var create_revision: EtcdNumber?
        var mod_revision: EtcdNumber?
    }

    /// A request about keys of the cluster.
    protocol EtcdRequest: Encodable, Sendable {
        /// Whether it may change something.
        var isChange: Bool { get }
        /// A question about one of its keys that costs little, by whose answer a member says which cluster it belongs to.
        var introduction: EtcdRangeRequest { get }
    }

    // MARK: Reading

    struct EtcdRangeRequest: EtcdRequest {
        var key: Data
        /// The first key that is not meant; nil for the one key alone.
        var range_end: Data?
        var limit: EtcdNumber?
        var sort_order: String?
        var sort_target: String?
        var keys_only: Bool?
        var count_only: Bool?
        /// As it was then; nil for now.
        var revision: EtcdNumber?
    }

    extension EtcdRangeRequest {
        /// All keys that begin with `prefix`.
        init(prefix: Data) { self.init(key: prefix, range_end: prefix.afterAllThatBeginWithThis) }

        var isChange: Bool { false }
        var introduction: EtcdRangeRequest { EtcdRangeRequest(key: key, range_end: range_end, count_only: true) }
    }

    struct EtcdRangeAnswer: EtcdAnswer {
        var header: EtcdHeader
        var kvs: [EtcdKeyValue]?
        var more: Bool?
        /// How many keys there are, whatever the limit.
        var count: EtcdNumber?
    }

    // MARK: Changing

    struct EtcdTransaction: Codable, Equatable, Sendable {
        var compare: [EtcdCompare]
        var success: [EtcdOperation]
        var failure: [EtcdOperation]
    }

    extension EtcdTransaction: EtcdRequest {
        var isChange: Bool { success.contains { $0.request_range == nil } }
        var introduction: EtcdRangeRequest {
            let keys = (success + failure).compactMap { $0.request_put?.key ?? $0.request_delete_range?.key ?? $0.request_range?.key }
            return EtcdRangeRequest(key: keys.first ?? Data([0]), count_only: true)
        }
    }

    /// What must hold for a transaction's changes to be made.
    struct EtcdCompare: Codable, Equatable, Sendable {
        private var key: Data
        private var target: String
        private var mod_revision: EtcdNumber?
        private var create_revision: EtcdNumber?

        /// That the key was last changed at that revision; 0 if there is none.
        static func lastChange(of key: Data, is revision: Int) -> EtcdCompare {
            EtcdCompare(key: key, target: "MOD", mod_revision: EtcdNumber(revision))
        }

        static func isMissing(_ key: Data) -> EtcdCompare { EtcdCompare(key: key, target: "CREATE", create_revision: 0) }
    }

    /// One step of a transaction.
    struct EtcdOperation: Codable, Equatable, Sendable {
        struct Put: Codable, Equatable, Sendable {
            var key: Data
            var value: Data
        }

        struct Key: Codable, Equatable, Sendable {
            var key: Data
        }

        private(set) var request_put: Put?
        private(set) var request_delete_range: Key?
        private(set) var request_range: Key?

        static func put(_ key: Data, _ value: Data) -> EtcdOperation { EtcdOperation(request_put: Put(key: key, value: value)) }
        static func delete(_ key: Data) -> EtcdOperation { EtcdOperation(request_delete_range: Key(key: key)) }
        static func read(_ key: Data) -> EtcdOperation { EtcdOperation(request_range: Key(key: key)) }
    }

    struct EtcdTransactionAnswer: EtcdAnswer {
        struct Response: Decodable, Sendable {
            struct Range: Decodable, Sendable {
                var kvs: [EtcdKeyValue]?
            }

            var response_range: Range?
        }

        var header: EtcdHeader
        var succeeded: Bool?
        var responses: [Response]?

        /// What each reading step found; nil where there is no such key.
        var found: [EtcdKeyValue?] { (responses ?? []).compactMap(\.response_range).map { $0.kvs?.first } }
    }

    // MARK: Watching

    struct EtcdWatchRequest: Encodable, Sendable {
        struct Create: Encodable, Sendable {
            var key: Data
            var range_end: Data?
            var start_revision: EtcdNumber
        }

        var create_request: Create
    }

    /// One message on the stream of a watch.
    struct EtcdWatchMessage: Decodable, Sendable {
        struct Event: Decodable, Equatable, Sendable {
            var type: String?
            var kv: EtcdKeyValue

            var isDeletion: Bool { type == "DELETE" }
        }

        struct Answer: EtcdAnswer {
            var header: EtcdHeader
            var created: Bool?
            var canceled: Bool?
            var compact_revision: EtcdNumber?
            var cancel_reason: String?
            var events: [Event]?
        }

        var result: Answer?
        var error: EtcdProblem?
    }

    // MARK: The rest

    /// What the gateway says in place of an answer: on a call with `code`, on a stream with `grpc_code`.
    struct EtcdProblem: Decodable, Sendable {
        var code: Int?
        var grpc_code: Int?
        var message: String?
    }

    struct EtcdLogin: Encodable, Sendable {
        var name: String
        var password: String
    }

    struct EtcdLoginAnswer: Decodable, Sendable {
        var token: String
    }

    struct EtcdStatusRequest: Encodable, Sendable {}

    struct EtcdStatusAnswer: EtcdAnswer {
        var header: EtcdHeader
        var version: String?
        /// The number of the member that leads; left out if there is none.
        var leader: String?
    }

    extension Data {
        init(_ text: String) { self.init(text.utf8) }

        /// The smallest key that is larger than all that begin with this one.
        var afterAllThatBeginWithThis: Data {
            var end = self
            while let last = end.popLast() {
                if last < 0xFF {
                    end.append(last + 1)
                    return end
                }
            }
            return Data([0])  // all keys, in etcd's notation
        }

        /// What follows `prefix`; nil if this does not begin with it.
        func after(prefix: Data) -> Data? { starts(with: prefix) ? Data(dropFirst(prefix.count)) : nil }
    }
#endif

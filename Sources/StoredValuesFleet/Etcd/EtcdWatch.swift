#if Fleet
    import FoundationEssentials

    extension EtcdGateway {
        /// Watches all keys that begin with `prefix`, from the change with that revision on, and passes each answer to `receive`.
        /// Returns when the stream ends; throws when it cannot begin or the cluster ends it with an error.
        func watch(
            _ prefix: Data, from revision: Int, isolation: isolated (any Actor)? = #isolation,
            _ receive: (EtcdWatchMessage.Answer) async throws -> Void
        ) async throws {
            try await watch(.init(key: prefix, range_end: prefix.afterAllThatBeginWithThis, start_revision: EtcdNumber(revision)), receive)
        }

        /// The same for one key.
        func watchKey(
            _ key: Data, from revision: Int, isolation: isolated (any Actor)? = #isolation,
            _ receive: (EtcdWatchMessage.Answer) async throws -> Void
        ) async throws {
            try await watch(.init(key: key, start_revision: EtcdNumber(revision)), receive)
        }

        private func watch(
            _ create: EtcdWatchRequest.Create, isolation: isolated (any Actor)? = #isolation,
            _ receive: (EtcdWatchMessage.Answer) async throws -> Void
        ) async throws {
            let request = EtcdWatchRequest(create_request: create)
            var lines = EtcdLines()
            var last: Int?
            func take(_ line: [UInt8], _ member: Int) async throws {
                guard let message = try? JSONDecoder().decode(EtcdWatchMessage.self, from: Data(line)) else {
                    throw EtcdError.unintelligible(endpoints[member])
                }
                if let problem = message.error { throw EtcdError(status: 200, problem, from: endpoints[member]) }
                guard let answer = message.result else { throw EtcdError.unintelligible(endpoints[member]) }
                try check(answer.header, of: member)
                try await receive(answer)
            }
            try await stream("/v3/watch", request) { member, part in
                if member != last { (lines, last) = (EtcdLines(), member) }
                guard lines.append(part) else { throw EtcdError.unintelligible(endpoints[member]) }
                while let line = lines.next() { try await take(line, member) }
            }
            // An error ends the stream without a line break.
            if let last, let rest = lines.rest { try await take(rest, last) }
        }
    }

    /// The lines of a stream that arrives in parts.
    struct EtcdLines: Sendable {
        private var bytes: [UInt8] = []
        /// Where the next line begins, and how far no end of it was found.
        private var start = 0
        private var searched = 0

        /// Adds a part. Returns false if a line is longer than any answer may be.
        mutating func append(_ part: [UInt8]) -> Bool {
            if start > 0 {
                bytes.removeFirst(start)
                (start, searched) = (0, searched - start)
            }
            bytes += part
            return bytes.count <= EtcdConnection.answerLimit
        }

        /// The next whole line that is not empty.
        mutating func next() -> [UInt8]? {
            while let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { (start, searched) = (end + 1, end + 1) }
                if end > start { return Array(bytes[start..<end]) }
            }
            searched = bytes.count
            return nil
        }

        /// What came after the last line; nil if nothing did.
        var rest: [UInt8]? { start < bytes.count ? Array(bytes[start...]) : nil }
    }
#endif

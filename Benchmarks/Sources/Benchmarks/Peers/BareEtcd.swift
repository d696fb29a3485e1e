#if Fleet
    import AsyncHTTPClient
    import Foundation
    import NIOCore
    import NIOHTTP1

    /// etcd's JSON gateway with the fewest requests that do a task, by the same HTTP client.
    final class BareEtcd: Sendable {
        private let address: String
        private let client: HTTPClient

        init(_ address: String) {
            var configuration = HTTPClient.Configuration()
            configuration.httpVersion = .http1Only
            (self.address, client) = (address, HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration))
        }

        deinit { client.shutdown { _ in } }

        private func post(_ path: String, _ body: String) async throws -> Data {
            let request = try HTTPClient.Request(
                url: address + path, method: .POST, headers: ["Content-Type": "application/json"], body: .string(body))
            let response = try await client.execute(request: request, deadline: .now() + .seconds(10)).get()
            guard response.status == .ok, let body = response.body else { throw Failure(description: "etcd answered \(response.status)") }
            return Data(body.readableBytesView)
        }

        private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

        private struct Found: Decodable {
            // swift-format-ignore: AlwaysUseLowerCamelCase
            struct Pair: Decodable { var mod_revision: String }  // as etcd names it
            var kvs: [Pair]?
        }

        private struct Made: Decodable {
            var succeeded: Bool?
        }

        /// Stores a value, unless another has changed it since it was read.
        func change(_ key: String, to value: String) async throws {
            let key = Self.base64(key)
            let found = try JSONDecoder().decode(Found.self, from: try await post("/v3/kv/range", #"{"key":"\#(key)"}"#))
            let compare = #"{"key":"\#(key)","target":"MOD","mod_revision":"\#(found.kvs?.first?.mod_revision ?? "0")"}"#
            let put = #"{"request_put":{"key":"\#(key)","value":"\#(Self.base64(value))"}}"#
            let answer = try await post("/v3/kv/txn", #"{"compare":[\#(compare)],"success":[\#(put)]}"#)
            guard try JSONDecoder().decode(Made.self, from: answer).succeeded == true else { throw Failure(description: "etcd changed nothing") }
        }

        func put(_ key: String, _ value: String) async throws {
            _ = try await post("/v3/kv/put", #"{"key":"\#(Self.base64(key))","value":"\#(Self.base64(value))"}"#)
        }

        /// Reads a key, or with `end` what lies before that, of which etcd looks at all to find the one that was changed last.
        func read(_ key: String, to end: String? = nil) async throws {
            let whole = end.map { #","range_end":"\#(Self.base64($0))","limit":"1","sort_order":"DESCEND","sort_target":"MOD","keys_only":true"# }
            _ = try await post("/v3/kv/range", #"{"key":"\#(Self.base64(key))"\#(whole ?? "")}"#)
        }

        /// Puts so many settings beneath `prefix`.
        func fill(_ prefix: String, _ count: Int) async throws {
            for first in stride(from: 0, to: count, by: 100) {
                let puts = (first..<min(first + 100, count)).map { number -> String in
                    let key = Self.base64("\(prefix)setting.\(number)"), value = Self.base64("{\"value\": \(number)}")
                    return #"{"request_put":{"key":"\#(key)","value":"\#(value)"}}"#
                }
                _ = try await post("/v3/kv/txn", #"{"success":[\#(puts.joined(separator: ","))]}"#)
            }
        }

        /// The seconds of a processor that it has taken so far, by all its threads.
        static func processorTime() throws -> Double {
            let tasks = "/proc/\(ProcessInfo.processInfo.environment["BENCHMARKS_ETCD_PID"] ?? "none")/task"
            return try FileManager.default.contentsOfDirectory(atPath: tasks).reduce(0) { sum, task in
                let text = (try? String(contentsOfFile: "\(tasks)/\(task)/schedstat", encoding: .utf8)) ?? ""  // it may have ended
                return sum + (text.split(separator: " ").first.flatMap { Double($0) } ?? 0) / 1e9
            }
        }

        /// What arrives at each change of a key from now on.
        func arrivals(_ key: String) async throws -> HTTPClientResponse.Body.AsyncIterator {
            var request = HTTPClientRequest(url: address + "/v3/watch")
            request.method = .POST
            request.body = .bytes(ByteBuffer(string: #"{"create_request":{"key":"\#(Self.base64(key))"}}"#))
            let response = try await client.execute(request, timeout: .seconds(10))
            var parts = response.body.makeAsyncIterator()
            _ = try await parts.next()  // it has begun
            return parts
        }
    }
#endif

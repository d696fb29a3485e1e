import Foundation

/// Values that are not text.
extension EtcdCluster {
    /// What the key holds; nil if it is not there.
    func bytes(_ key: String) async throws -> [UInt8]? {
        let output = try await run("get", "--write-out=json", "--", key)
        return try JSONDecoder().decode(Answer.self, from: Data(output.utf8)).kvs?.first.map { Array($0.value ?? Data()) }
    }

    /// Puts bytes past everything of ours.
    func put(_ key: String, _ bytes: [UInt8]) async throws {
        // It takes no empty input for a value.
        let result = try await etcdctl(["put", "--", key] + (bytes.isEmpty ? [""] : []), inputBytes: Data(bytes))
        guard result.status == 0 else { throw Refused(command: "put", errors: result.errors) }
    }

    private struct Answer: Decodable {
        struct Entry: Decodable { let value: Data? }

        let kvs: [Entry]?
    }
}

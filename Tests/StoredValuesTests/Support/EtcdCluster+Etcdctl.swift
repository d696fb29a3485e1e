import Foundation

/// A key of etcd and what it holds.
struct EtcdEntry: Sendable, Equatable {
    let key: String
    let value: String
    let createRevision: Int
    let modRevision: Int
    let version: Int
}

/// What an independent witness, etcdctl, reads and writes.
extension EtcdCluster {
    /// All that is stored beneath `prefix`, by key: what every member has agreed on, or what one of them has.
    func entries(_ prefix: String = "/", on member: Etcd? = nil) async throws -> [EtcdEntry] {
        var arguments = ["get", prefix, "--prefix", "--write-out=json"]
        if member != nil { arguments.append("--consistency=s") }
        let result = try await etcdctl(arguments, on: member)
        guard result.status == 0 else { throw Refused(command: arguments.joined(separator: " "), errors: result.errors) }
        let answer = try JSONDecoder().decode(Range.self, from: Data(result.output.utf8))
        return (answer.kvs ?? []).map { entry in
            EtcdEntry(
                key: String(decoding: entry.key, as: UTF8.self), value: String(decoding: entry.value ?? Data(), as: UTF8.self),
                createRevision: entry.create_revision, modRevision: entry.mod_revision, version: entry.version)
        }
    }

    /// What the key holds; nil if it is not there.
    func value(_ key: String) async throws -> String? {
        try await entries(key).first { $0.key.utf8.elementsEqual(key.utf8) }?.value
    }

    /// Puts bytes past everything of ours.
    func put(_ key: String, _ value: String) async throws { try await run("put", "--", key, value) }

    /// Removes a key, or all beneath it.
    func delete(_ key: String, andAllBeneath: Bool = false) async throws {
        if andAllBeneath { try await run("del", "--prefix", "--", key) } else { try await run("del", "--", key) }
    }

    /// The number of the last change.
    func revision() async throws -> Int {
        let output = try await run("get", "--write-out=json", "--", "\u{1}nothing")
        return try JSONDecoder().decode(Range.self, from: Data(output.utf8)).header.revision
    }

    /// Forgets what was before the last change.
    func compact() async throws { try await run("compact", "\(revision())", "--physical") }

    /// Puts until there is no space left (`quota`).
    func fill(_ key: String = "/filler") async throws {
        let much = String(repeating: "x", count: 1 << 20)
        for index in 0... {
            let result = try await etcdctl(["put", "\(key)\(index)"], input: much)
            if result.errors.contains("database space exceeded") { return }
            guard result.status == 0 else { throw Refused(command: "put", errors: result.errors) }
        }
    }

    private struct Range: Decodable {
        let header: EtcdStatus.Header
        let kvs: [Entry]?
    }

    /// Named as etcdctl names them.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    private struct Entry: Decodable {
        let key: Data
        let value: Data?
        let create_revision: Int
        let mod_revision: Int
        let version: Int
    }
}

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

/// Who may do what.
extension EtcdCluster {
    /// A role, and the user of the same name who has it.
    struct Role: Sendable {
        let name: String
        let password: String
        /// "read", "write" or "readwrite" for all keys with that beginning.
        let rights: [(right: String, prefix: String)]
        /// What clients name with `--user-file`.
        var login: String { "\(name):\(password)" }
    }

    /// Turns authentication on, so that nobody has rights but these and the administrator.
    func requireLogin(_ roles: Role...) async throws {
        let administrator = "root:\(TestSecret.text("root"))"
        try await run("user", "add", administrator)
        try await run("user", "grant-role", "root", "root")
        for role in roles {
            try await run("role", "add", role.name)
            for (right, prefix) in role.rights { try await run("role", "grant-permission", "--prefix", role.name, right, prefix) }
            try await run("user", "add", role.login)
            try await run("user", "grant-role", role.name, role.name)
        }
        try await run("auth", "enable")
        come(as: administrator)
    }

    /// Takes from `role` what it may do with the keys that begin with `prefix`.
    func revoke(_ prefix: String, from role: Role) async throws {
        try await run("role", "revoke-permission", "--prefix", role.name, prefix)
    }

    /// Gives it.
    func grant(_ right: String, _ prefix: String, to role: Role) async throws {
        try await run("role", "grant-permission", "--prefix", role.name, right, prefix)
    }
}

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

import LibsecretPeer
import StoredValues
import Synchronization

/// Secrets, on the gnome-keyring that this process finds.
func secretTasks(in temporary: TemporaryFolder, python: String) async throws -> [Comparison] {
    let secret = SecurelyStoredValue<String>(key: "token", service: "benchmarks", keyring: .secretService)
    try await secret.set("first")
    guard peer_store("peer", "token", "first") != 0 else { throw Failure(description: "libsecret could not store") }
    let file = try SampleSettings(count: 50).write("secrets", in: temporary)
    let bool = StoredValue(key: "autosave", default: false, storage: file.preferences)
    let pythonSecrets = try PythonSecrets(python: python)
    let other = SecretIdentifier(service: "benchmarks", account: "other")
    let bareSecret = Mutex("first")
    let numbers = Numbers()
    return [
        Comparison(
            task: "Read a secret, hot",
            ours: .timed("ours") { count in for _ in 0..<count { use(secret.wrappedValue) } },
            limit: .init(.timed("the stored Bool") { count in for _ in 0..<count { use(bool.wrappedValue) } }, bar: 2),
            peers: [.init(.timed("`Mutex`") { count in for _ in 0..<count { use(bareSecret.withLock { $0 }) } })]),
        Comparison(
            task: "`load()` on gnome-keyring, warm",
            ours: .awaited("ours") { count in for _ in 0..<count { use(try await secret.load()) } },
            limit: .init(
                .timed("`secret_password_lookupv_sync`") { count in
                    for _ in 0..<count {
                        guard let found = peer_lookup("peer", "token") else { throw Failure(description: "libsecret found none") }
                        peer_free(found)
                    }
                }, bar: 1.2),
            peers: [.init(pythonSecrets.contestant("lookup"))]),
        Comparison(
            task: "`set` on gnome-keyring, warm",
            ours: .awaited("ours") { count in for _ in 0..<count { try await secret.set("\(numbers.next)") } },
            // What replacing the right one of several items takes.
            limit: .init(
                .timed("`SearchItems`, `secret_password_storev_sync`") { count in
                    for _ in 0..<count {
                        guard peer_search("peer", "token") != 0, peer_store("peer", "token", "\(numbers.next)") != 0 else {
                            throw Failure(description: "libsecret could not search and store")
                        }
                    }
                }, bar: 1.2),
            peers: [
                .init(
                    .timed("`secret_password_storev_sync` alone") { count in
                        for _ in 0..<count {
                            guard peer_store("peer", "token", "\(numbers.next)") != 0 else {
                                throw Failure(description: "libsecret could not store")
                            }
                        }
                    }),
                .init(pythonSecrets.contestant("store")),
                .init(
                    .awaited("the keyring's `write` alone") { count in
                        for _ in 0..<count {
                            try await SecretServiceKeyring().write(Secret("\(numbers.next)".utf8), for: other, label: "Benchmark")
                        }
                    }),
            ]),
    ]
}

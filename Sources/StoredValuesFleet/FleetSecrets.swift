#if Fleet
    import FoundationEssentials
    public import StoredValues
    import StoredValuesSupport

    extension Fleet {
        /// The application's secrets in the cluster, sealed with `key`. Programs read them with ``/StoredValues/Keyring/fleet(key:formerKey:)``
        /// from this machine's mirror; this is for those who change them.
        ///
        /// Use the key of a file: one that is derived from a passphrase is derived again by each call, on a thread of Swift's pool.
        public func secrets(key: EncryptedFileKey) -> FleetSecrets { FleetSecrets(fleet: self, key: key) }

        /// Accepts restored secrets as current, although machines have seen later ones: for a backup that was restored on purpose.
        public func confirmRestoredSecrets() async throws(FleetError) {
            do {
                try await change([keys.secretsEpoch], "confirm the restored secrets") { found, stamp in
                    let epoch = SecretsEpoch.next(after: found[0].flatMap { SecretsEpoch($0.value) }, at: .now)
                    return [(epoch.data(writer: writer, time: stamp), FleetLogRecord.Change(key: "(restored)", target: "", isSecret: true))]
                }
            } catch { throw .ofChange(error) }
        }
    }

    /// The secrets that the machines of a fleet share, in the cluster: an encrypted file in one key of etcd, changed by
    /// compare-and-swap. The cluster, its disks and its logs never have the key or a secret in plain text.
    ///
    /// An error of the cluster is a ``/StoredValues/KeyringError/other(domain:code:message:)`` of the domain `etcd`, with gRPC's codes: 14 if
    /// it is unavailable, 7 if it refuses, 4 if the change may have been made anyway, which the message says.
    public struct FleetSecrets: Keyring {
        /// The largest encrypted file that is sent to the cluster, in bytes: 1.25 MiB. That is one secret of 1 MiB, the
        /// most that any keyring takes, or some 4,500 of 200 bytes; etcd takes 1.5 MiB in a request.
        public static let sizeLimit = 5 << 18

        let fleet: Fleet
        let key: EncryptedFileKey
        /// The real path of the key, resolved once; for a passphrase, something that no other instance has.
        private let keyPlace: String

        init(fleet: Fleet, key: EncryptedFileKey) {
            (self.fleet, self.key) = (fleet, key)
            keyPlace = key.place ?? UUID().uuidString
        }

        /// What they are, and the source of the key.
        public var description: String { "the fleet's secrets in the cluster" }

        /// Two for one application at the same members, in whatever order, with the same key are the same keyring; one with a
        /// passphrase only equals itself.
        public var identity: any Hashable & Sendable {
            [String(decoding: fleet.keys.secrets, as: UTF8.self), keyPlace] + fleet.gateway.endpoints.map(\.description).sorted()
        }

        /// The secret, or nil if there is none.
        public func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? { try await opened()?.secret(id) }

        /// The secrets of `service`, sorted by account.
        public func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] {
            try await opened()?.identifiers(inService: service) ?? []
        }

        /// Stores a secret; all machines have it a moment later. Throws ``/StoredValues/KeyringError/tooLarge``, before anything is sent, if
        /// all secrets together are larger than ``sizeLimit``.
        public func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) {
            try await change("store the secret \(id)", id.account) { secrets in
                try secrets.set(secret, for: id, label: label)
                return true
            }
        }

        /// Removes a secret; succeeds if there is none.
        public func remove(_ id: SecretIdentifier) async throws(KeyringError) {
            try await change("remove the secret \(id)", id.account, makingFile: false) { secrets in secrets.remove(id) }
        }

        /// Tries the key on the secrets, and returns if it opens them or there are none yet.
        public func unlock() async throws(KeyringError) { _ = try await opened() }

        /// Seals the secrets with `newKey`. Machines that do not have it keep those that they have, and can read no later ones: see the
        /// steps of a rotation in the article about a fleet's secrets.
        public func rekey(to newKey: EncryptedFileKey) async throws(KeyringError) {
            try await change("change the key of the secrets", "(the key)") { secrets in
                try secrets.rekey(to: newKey)
                return true
            }
        }

        /// The secrets; nil if there are none yet, which needs no key.
        private func opened() async throws(KeyringError) -> SealedSecrets? {
            let found: EtcdKeyValue?
            do throws(FleetError) { found = try await fleet.read([fleet.keys.secrets], "read the secrets", end: .now + fleet.timeout)[0] } catch {
                throw KeyringError(fleet: error)
            }
            return found == nil ? nil : try open(found)
        }

        private func open(_ found: EtcdKeyValue?) throws(KeyringError) -> SealedSecrets {
            try SealedSecrets(found.map { Array($0.value) }, key: key, place: String(decoding: fleet.keys.secrets, as: UTF8.self))
        }

        /// Opens the file, runs `body` on its content, and if that returns true, puts the next generation in its place, unless others
        /// have changed it meanwhile; then all is done again. Without `makingFile` a missing file stays missing.
        private func change(
            _ what: String, _ name: String, makingFile: Bool = true, _ body: (inout SealedSecrets) throws -> Bool
        ) async throws(KeyringError) {
            do {
                try await fleet.change([fleet.keys.secrets], what) { found, _ in
                    guard makingFile || found[0] != nil else { return nil }
                    var secrets = try open(found[0])
                    guard try body(&secrets) else { return nil }
                    let bytes = secrets.sealed()
                    guard bytes.count <= Self.sizeLimit else { throw KeyringError.tooLarge }
                    return [(Data(bytes), FleetLogRecord.Change(key: name, target: "", isSecret: true))]
                }
            } catch {
                throw KeyringError(fleet: error)
            }
        }
    }

    extension KeyringError {
        /// The error of a keyring that is kept by a fleet's cluster, with the code that gRPC has for it.
        init(fleet error: any Error) {
            let fleet = error as? FleetError
            let code =
                switch fleet?.reason {
                case _ where fleet?.outcome == .mayHaveHappened: 4
                case .unavailable: 14
                case .accessDenied: 7
                case .contended: 10
                case .noSpace: 8
                case .misconfigured: 3
                default: 2
                }
            self =
                switch fleet?.reason {
                case .cancelled: .cancelled
                case .tooLarge: .tooLarge
                default: error as? KeyringError ?? .other(domain: "etcd", code: code, message: "\(error)")
                }
        }
    }
#endif

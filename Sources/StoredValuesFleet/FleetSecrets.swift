#if Fleet
    import FoundationEssentials
    public import StoredValues

    extension Fleet {
        /// The application's secrets in the cluster, sealed with `key`. Programs read them with ``/StoredValues/Keyring/fleet(key:formerKey:)``
        /// from this machine's mirror; this is for those who change them.
        ///
        /// Use the key of a file: with a passphrase secrets can be read, not changed, because changes are signed and signatures would help to guess
        /// it. It is derived again by each call, on a thread of Swift's pool.
        public func secrets(key: EncryptedFileKey) -> FleetSecrets { FleetSecrets(fleet: self, key: key) }

        /// Accepts restored secrets as current, although machines have seen later ones: for a backup that was restored on purpose.
        ///
        /// Needs the key of the secrets, because agents accept only what was signed with it. Throws ``FleetError/Reason/accessDenied`` if it does not
        /// open what the cluster has, and ``FleetError/Reason/misconfigured`` if it cannot be used, such as a passphrase, or there are no secrets.
        public func confirmRestoredSecrets(key: EncryptedFileKey) async throws(FleetError) {
            do {
                try await secrets(key: key).confirmRestored()
            } catch let error as KeyringError {
                throw FleetError(error == .wrongKey ? .accessDenied : .misconfigured, "Could not confirm the restored secrets: \(error)")
            } catch { throw .ofChange(error) }
        }
    }

    /// The secrets that the machines of a fleet share, in the cluster: an encrypted file in one key of etcd, changed by
    /// compare-and-swap. The cluster, its disks and its logs never have the key or a secret in plain text.
    ///
    /// An error of the cluster is a ``/StoredValues/KeyringError/other(domain:code:message:)`` of the domain `etcd`, with gRPC's codes: 14 if
    /// it is unavailable, 7 if it refuses, 4 if the change may have been made anyway, which the message says. One of the domain `FleetSecrets` says
    /// that restored secrets are to be confirmed before anything else is done with them (1), or that there are none yet (2).
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

        /// Seals the secrets with `newKey`, and signs them with it. Machines that do not have it keep those that they have, and can read no later
        /// ones; so do agents that were not given its public key: see the steps of a rotation in the article about a fleet's secrets. Throws if there
        /// are no secrets.
        public func rekey(to newKey: EncryptedFileKey) async throws(KeyringError) {
            try await change("change the key of the secrets", "(the key)", signedBy: newKey) { secrets in
                try secrets.rekey(to: newKey)
                return true
            }
        }

        /// Begins a new epoch, in which what the cluster has counts, whatever its generation.
        package func confirmRestored() async throws {
            let signer = try SigningKey(of: key)
            try await fleet.change(stored, "confirm the restored secrets") { found, stamp in
                let last = found[2].flatMap { SecretsEpoch($0.value) }, epoch = SecretsEpoch.next(after: last, at: .now)
                guard found[0] != nil else {
                    throw Self.refusal(2, "the cluster has no secrets that could be confirmed; store them again first, and then confirm them")
                }
                // Not what this key does not open: nobody has looked whether it is genuine.
                _ = try open(found[0])
                return (
                    [
                        (found[0]?.value, nil), (signature(of: found[0].map { Array($0.value) }, epoch, by: signer), nil),
                        (epoch.data(writer: fleet.writer, time: stamp), FleetLogRecord.Change(key: "(restored)", target: "", isSecret: true)),
                    ], ()
                )
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

        /// The keys of a change: the file, its signature, and the epoch that is signed, too.
        private var stored: [Data] { [fleet.keys.secrets, fleet.keys.secretsSignature, fleet.keys.secretsEpoch] }

        private func signature(of file: [UInt8]?, _ epoch: SecretsEpoch?, by signer: SigningKey) -> Data? {
            file.flatMap { SealedStatement($0, epoch: epoch?.number ?? 0, applicationID: fleet.keys.applicationID) }
                .map { SecretsSignature(by: signer.publicKey, bytes: signer.signature(of: $0)).data }
        }

        /// The epoch in which the next file is signed: the one in which the file that is there was. Whoever can write to the cluster can write an
        /// epoch, and once it was signed, an old file would count in it on every machine. So a new file begins in none.
        private func signedEpoch(_ found: [EtcdKeyValue?]) throws(KeyringError) -> SecretsEpoch? {
            guard let file = found[0], let epoch = found[2].flatMap({ SecretsEpoch($0.value) }), epoch.number > 0 else { return nil }
            let signer = try SigningKey(of: key).publicKey
            guard let statement = SealedStatement(Array(file.value), epoch: epoch.number, applicationID: fleet.keys.applicationID),
                let signature = found[1].flatMap({ SecretsSignature($0.value) }), signer.hasSigned(statement, signature.bytes)
            else {
                throw Self.refusal(
                    1, "nobody has signed the cluster's secrets in their epoch with this key, so they may be old ones; if they are right: stored-values-fleet secret confirm")
            }
            return epoch
        }

        private static func refusal(_ code: Int, _ message: String) -> KeyringError { .other(domain: "FleetSecrets", code: code, message: message) }

        /// Opens the file, runs `body` on its content, and if that returns true, puts the next generation in its place, signed, unless others
        /// have changed it meanwhile; then all is done again. Without `makingFile` a missing file stays missing.
        private func change(
            _ what: String, _ name: String, makingFile: Bool = true, signedBy signingKey: EncryptedFileKey? = nil,
            _ body: (inout SealedSecrets) throws -> Bool
        ) async throws(KeyringError) {
            do {
                try await fleet.change(stored, what) { found, _ in
                    guard makingFile || found[0] != nil else { return ([], ()) }
                    // Else it would make an empty file, and an operator with a wrong application id would take it for done.
                    guard signingKey == nil || found[0] != nil else {
                        throw Self.refusal(2, "the cluster has no secrets whose key could be changed; store the first one with the new key")
                    }
                    var secrets = try open(found[0])
                    guard try body(&secrets) else { return ([], ()) }
                    let bytes = secrets.sealed()
                    guard bytes.count <= Self.sizeLimit else { throw KeyringError.tooLarge }
                    // Only now: what makes the file may make the key.
                    let signer = try SigningKey(of: signingKey ?? key), epoch = try signedEpoch(found)
                    return (
                        [
                            (Data(bytes), FleetLogRecord.Change(key: name, target: "", isSecret: true)),
                            (signature(of: bytes, epoch, by: signer), nil), (found[0] == nil ? nil : found[2]?.value, nil),
                        ], ()
                    )
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

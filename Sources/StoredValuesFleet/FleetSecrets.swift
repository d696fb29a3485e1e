#if Fleet
    import FoundationEssentials
    public import StoredValues

    extension Fleet {
        /// The application's secrets in the cluster, encrypted with `key`, for programs that change them. Programs that only read them use
        /// ``/StoredValues/Keyring/fleet(key:formerKey:)``, from this machine's mirror.
        ///
        /// Use a key file: with a passphrase, secrets can be read but not changed, because changes are signed and the signatures would help to guess
        /// the passphrase. Each call derives the key from the passphrase again, on a thread of Swift's pool.
        public func secrets(key: EncryptedFileKey) -> FleetSecrets { FleetSecrets(fleet: self, key: key) }

        /// Accepts restored secrets as current, although machines have seen later ones: for a backup that was restored on purpose.
        ///
        /// Needs the key of the secrets, because agents accept only what was signed with it. Throws ``FleetError/Reason/accessDenied`` if it does not
        /// open the secrets, and ``FleetError/Reason/misconfigured`` if it cannot be used, such as a passphrase, or there are no secrets.
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
    /// it is unavailable, 7 if it denies access, 4 if the change may have been made anyway, which the message says. In the domain
    /// `FleetSecrets`, code 1 means that restored secrets must be confirmed first, and code 2 that there are no secrets yet.
    public struct FleetSecrets: Keyring {
        /// The maximum size of the encrypted file in bytes, 1.25 MiB: one secret of 1 MiB, the maximum of every keyring, or some 4,500
        /// of 200 bytes. etcd accepts 1.5 MiB in a request.
        public static let sizeLimit = 5 << 18

        let fleet: Fleet
        let key: EncryptedFileKey
        /// The real path of the key file, resolved once; for a passphrase, a value that is unique to this instance.
        private let keyPlace: String

        init(fleet: Fleet, key: EncryptedFileKey) {
            (self.fleet, self.key) = (fleet, key)
            keyPlace = key.place ?? UUID().uuidString
        }

        /// The name of this keyring in messages.
        public var description: String { "the fleet's secrets in the cluster" }

        /// Equal for the same application, members in any order, and key file. With a passphrase, an instance equals only itself.
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

        /// Encrypts and signs the secrets with `newKey`. A machine without this key can read no secret any more once its agent has the
        /// file; an agent without its public key keeps the old file, and says so: see the steps of a rotation in the article about a fleet's secrets. Throws if there are no secrets.
        public func rekey(to newKey: EncryptedFileKey) async throws(KeyringError) {
            try await change("change the key of the secrets", "(the key)", signedBy: newKey) { secrets in
                try secrets.rekey(to: newKey)
                return true
            }
        }

        /// Begins a new epoch, in which the cluster's secrets count, whatever their generation.
        package func confirmRestored() async throws {
            let signer = try SigningKey(of: key)
            try await fleet.change(stored, "confirm the restored secrets") { found, stamp in
                let last = found[2].flatMap { SecretsEpoch($0.value) }, epoch = SecretsEpoch.next(after: last, at: .now)
                guard found[0] != nil else {
                    throw Self.refusal(2, "the cluster has no secrets that could be confirmed; store them again first, and then confirm them")
                }
                // The key must open the file, which shows that it is genuine.
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

        /// The keys of a change: the file, its signature, and the epoch, which the signature covers.
        private var stored: [Data] { [fleet.keys.secrets, fleet.keys.secretsSignature, fleet.keys.secretsEpoch] }

        private func signature(of file: [UInt8]?, _ epoch: SecretsEpoch?, by signer: SigningKey) -> Data? {
            file.flatMap { SealedStatement($0, epoch: epoch?.number ?? 0, applicationID: fleet.keys.applicationID) }
                .map { SecretsSignature(by: signer.publicKey, bytes: signer.signature(of: $0)).data }
        }

        /// The epoch to sign the next file in: the one that the current file was signed in. Anybody who can write to the cluster can write an
        /// epoch; if it were signed unchecked, an old file would count on every machine. Without a file there is no epoch.
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

        /// Opens the file, runs `body` on its content, and if that returns true, replaces the file by the next generation, signed. If others have
        /// changed the file in the meantime, starts again. Without `makingFile` a missing file stays missing.
        private func change(
            _ what: String, _ name: String, makingFile: Bool = true, signedBy signingKey: EncryptedFileKey? = nil,
            _ body: (inout SealedSecrets) throws -> Bool
        ) async throws(KeyringError) {
            do {
                try await fleet.change(stored, what) { found, _ in
                    guard makingFile || found[0] != nil else { return ([], ()) }
                    // Otherwise it would make an empty file, and an operator with a wrong application id would not notice.
                    guard signingKey == nil || found[0] != nil else {
                        throw Self.refusal(2, "the cluster has no secrets whose key could be changed; store the first one with the new key")
                    }
                    var secrets = try open(found[0])
                    guard try body(&secrets) else { return ([], ()) }
                    let bytes = secrets.sealed()
                    guard bytes.count <= Self.sizeLimit else { throw KeyringError.tooLarge }
                    // Not earlier, because sealing the first file may make the key.
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
        /// The error of ``FleetSecrets``, with gRPC's code.
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

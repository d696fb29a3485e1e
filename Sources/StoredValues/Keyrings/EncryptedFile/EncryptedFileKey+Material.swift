#if EncryptedFile
    import StoredValuesFiles
    import StoredValuesSupport

    extension EncryptedFileKey {
        /// How a new file derives its key from this one.
        private var method: KeyDerivation.Method {
            if case .passphrase = source { .scrypt(.standard) } else { .hkdf }
        }

        /// The key of the file with `header`. Throws ``KeyringError/wrongKey``.
        func derivedKey(for header: EncryptedFileHeader, operations: any FileOperations) throws(KeyringError) -> DerivedKey {
            guard (method == .hkdf) == (header.derivation.method == .hkdf) else { throw .wrongKey }  // a key of another kind
            let material = try material(forNewFile: false, operations: operations)
            let key = DerivedKey(derivation: header.derivation, mainKey: try header.derivation.mainKey(from: material))
            guard EncryptedFileSeal.isKey(key.mainKey, of: header) else { throw .wrongKey }
            return key
        }

        /// A key for a new file, with a new salt.
        func derivedKeyForNewFile(operations: any FileOperations) throws(KeyringError) -> DerivedKey {
            let derivation = KeyDerivation(new: method)
            return DerivedKey(derivation: derivation, mainKey: try derivation.mainKey(from: material(forNewFile: true, operations: operations)))
        }

        /// The bytes to derive the key from. `forNewFile` means that no file was encrypted with this key yet, so that it may be
        /// created.
        private func material(forNewFile: Bool, operations: any FileOperations) throws(KeyringError) -> Secret {
            switch source {
            case .file(let path):
                return try KeyFile(path: path, origin: .own, operations: operations).read()
            case .mountedFile(let path):
                return try KeyFile(path: path, origin: .mounted, operations: operations).read()
            case .generatedFile(let path):
                let file = KeyFile(path: path, origin: .own, operations: operations)
                if forNewFile { try file.makeIfMissing() }
                return try file.read()
            case .credential(let name, let folder):
                let path = try CredentialsFolder.path(of: name, in: folder)
                return try KeyFile(path: path, origin: .credential, operations: operations).read()
            case .passphrase(let closure):
                return try Self.ask(closure)
            case .portal(let key):
                guard let secret = key.secret else { throw .locked }
                return secret
            }
        }

        private static func ask(_ closure: () throws -> Secret) throws(KeyringError) -> Secret {
            let passphrase: Secret
            do {
                passphrase = try closure()
            } catch let error as KeyringError {
                throw error
            } catch {
                throw .other(domain: "EncryptedFileKey", code: 1, message: "the passphrase closure failed (\(type(of: error)))")
            }
            guard passphrase.count > 0 else { throw .other(domain: "EncryptedFileKey", code: 2, message: "the passphrase is empty") }
            return passphrase
        }
    }

    /// A file that contains only a key. Read again for each derivation, and never kept.
    private struct KeyFile {
        private static let minimumByteCount = 32
        private static let maximumByteCount = 1 << 16

        /// Who provides the file, which decides who else may read it. Nobody else may write it.
        enum Origin: Sendable {
            /// The user or this package, for this user only.
            case own
            /// systemd, in a folder that only the service can enter. The mode's group bits are then the mask of the access list
            /// (acl(5)) by which systemd admits the service's user.
            case credential
            /// A container's runtime, by symbolic links or readable for all: there are no other users inside.
            case mounted

            fileprivate var purpose: OpenPurpose { self == .mounted ? .reading : .readingWithoutLinks }
            /// The bits of the mode that must not be set.
            fileprivate var forbiddenMode: UInt32 {
                switch self {
                case .own: 0o077
                case .credential: 0o037
                case .mounted: 0o022
                }
            }
        }

        let path: String
        let origin: Origin
        let operations: any FileOperations

        /// The key; throws unless the file is regular, long enough, owned by this user or root, and accessible to no others
        /// than its origin permits.
        func read() throws(KeyringError) -> Secret {
            let file: SecretFile
            do {
                file = try SecretFile(path, openedFor: origin.purpose, operations: operations)
            } catch .linkCircle {
                throw failure(2, "is a symbolic link; use the path of the file itself")
            } catch .noEntry {
                throw failure(1, "is missing; restore it from a copy, or create it as the documentation of EncryptedFileKey says")
            } catch {
                throw KeyringError(FileError(.read, path, error))
            }
            let status = file.status
            guard status.kind == .regular else { throw failure(3, "is \(status.kind.rawValue), not a regular file") }
            // The owner first: another owner may change the mode at any time.
            guard isTrusted(status.user), status.mode & origin.forbiddenMode == 0 else { throw .accessDenied }
            guard status.identity.size >= Self.minimumByteCount else { throw failure(4, "has fewer than 32 bytes") }
            guard status.identity.size <= Self.maximumByteCount else { throw failure(5, "has more than 64 KiB") }
            return try file.contents()
        }

        /// Whether that user may own the key file. Root accepts the owner of the folder, because files that root creates there
        /// belong to them.
        private func isTrusted(_ user: UInt32) -> Bool {
            let reader = effectiveUser()
            if user == reader || user == 0 { return true }
            guard reader == 0, origin == .own else { return false }
            let folder = ResolvedPath.folder(of: DurableFile(path: path, operations: operations).path)
            return (try? operations.status(at: folder, followingLinks: true))?.user == user
        }

        /// Creates the key file unless something exists there; ``read()`` checks whether that is a key.
        func makeIfMissing() throws(KeyringError) {
            let file = DurableFile(path: path, operations: operations)
            do throws(FileError) {
                guard try file.status(at: file.path, followingLinks: false) == nil else { return }
                // Under a lock and by renaming, so that no process ever sees a partial key, not even after a power cut.
                let locked = try file.lock()
                guard locked.identity == nil else { return }
                var key = EncryptedFileSeal.randomBytes(Self.minimumByteCount)
                defer { key.withUnsafeMutableBytes { wipe($0) } }
                _ = try locked.replace(with: key, durably: true)
            } catch {
                throw KeyringError(error)
            }
        }

        private func failure(_ code: Int, _ what: String) -> KeyringError {
            .other(domain: "EncryptedFileKey", code: code, message: "the key file \"\(path)\" \(what)")
        }
    }
#endif

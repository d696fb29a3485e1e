#if EncryptedFile
    import StoredValuesFiles
    import StoredValuesSupport

    extension EncryptedFileKey {
        /// The key of the file with `header`. Throws ``KeyringError/wrongKey``.
        func derivedKey(for header: EncryptedFileHeader, operations: FileOperations) throws(KeyringError) -> DerivedKey {
            guard isPassphrase == (header.derivation.method != .hkdf) else { throw .wrongKey }  // a key of another kind
            let key = try DerivedKey(header.derivation, from: try material(forNewFile: false, operations: operations))
            guard key.opens(header) else { throw .wrongKey }
            return key
        }

        /// A key for a new file, with a new salt.
        func derivedKeyForNewFile(operations: FileOperations) throws(KeyringError) -> DerivedKey {
            let derivation = KeyDerivation(new: isPassphrase ? .standardScrypt : .hkdf)
            return try DerivedKey(derivation, from: try material(forNewFile: true, operations: operations))
        }

        var isPassphrase: Bool {
            if case .passphrase = source { true } else { false }
        }

        /// `forNewFile` means that no file was encrypted with this key yet, so that it may be created.
        func material(forNewFile: Bool, operations: FileOperations) throws(KeyringError) -> Secret {
            switch source {
            case .file(let path, let provider, let isGenerated):
                let file = KeyFile(path: path, provider: provider, operations: operations)
                if isGenerated, forNewFile { try file.makeIfMissing() }
                return try file.read()
            case .credential(let name, let folder):
                let path = try CredentialsFolder.path(of: name, in: folder)
                return try KeyFile(path: path, provider: .credential, operations: operations).read()
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

        let path: String
        let provider: SecretFile.Provider
        let operations: FileOperations

        /// The key; throws unless the file is regular, long enough, owned by this user or root (or for root by the owner of its
        /// folder), and accessible to no others than its provider permits.
        func read() throws(KeyringError) -> Secret {
            let file: SecretFile
            do throws(SecretFile.Refusal) {
                file = try SecretFile.open(path, from: provider, operations: operations)
            } catch {
                switch error {
                case .system(.linkCircle): throw failure(2, "is a symbolic link; use the path of the file itself")
                case .system(.noEntry): throw failure(1, "is missing; restore it from a copy, because no other key opens the file. For a new encrypted file, create it as the documentation of EncryptedFileKey says")
                case .system(let code): throw KeyringError(FileError(.read, path, code))
                case .notRegular(let kind): throw failure(3, "is \(kind.rawValue), not a regular file")
                case .notPrivate: throw .accessDenied
                }
            }
            let size = file.status.identity.size
            guard size >= Self.minimumByteCount else { throw failure(4, "has fewer than 32 bytes") }
            guard size <= 1 << 16 else { throw failure(5, "has more than 64 KiB") }
            return try file.contents()
        }

        /// Creates the key file unless something exists there; ``read()`` checks whether that is a key.
        func makeIfMissing() throws(KeyringError) {
            let file = DurableFile(path: path, operations: operations)
            do throws(FileError) {
                guard try file.status(at: file.path, followingLinks: false) == nil else { return }
                // Under a lock and by renaming, so that no process ever sees a partial key, not even after a power cut.
                let locked = try file.lock()
                guard locked.identity == nil else { return }
                var key = KeyDerivation.randomBytes(Self.minimumByteCount)
                defer { key.withUnsafeMutableBytes { wipe($0) } }
                _ = try locked.replace(with: key, durably: true)
                try file.syncAncestors(of: file.resolvedPath)  // whoever made the folders
            } catch {
                throw KeyringError(error)
            }
        }

        private func failure(_ code: Int, _ what: String) -> KeyringError {
            .other(domain: "EncryptedFileKey", code: code, message: "the key file \"\(path)\" \(what)")
        }
    }
#endif

#if EncryptedFile
    import StoredValuesFiles

    extension EncryptedFileKey {
        /// How a new file derives its key from this one.
        var method: KeyDerivation.Method {
            if case .passphrase = source { .scrypt(.standard) } else { .hkdf }
        }

        /// Whether a file with this derivation can have been created with a key of this kind.
        func fits(_ derivation: KeyDerivation) -> Bool { (method == .hkdf) == (derivation.method == .hkdf) }

        /// The bytes to derive the key from. `forNewFile` means that no file was encrypted with this key yet, so that it may be
        /// created.
        func material(forNewFile: Bool, operations: any FileOperations) throws(KeyringError) -> Secret {
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
#endif

#if EncryptedFile
    import StoredValuesFiles
    import StoredValuesSupport

    /// A file that contains only a key. Read again for each derivation, and never kept.
    struct KeyFile {
        private static let leastByteCount = 32
        private static let mostByteCount = 1 << 16

        let path: String
        let origin: SecretFile.Provider
        let operations: any FileOperations

        /// The key; throws unless the file is regular, long enough, owned by this user or root, and accessible to no others
        /// than its origin permits.
        func read() throws(KeyringError) -> Secret {
            let file: SecretFile
            do throws(SecretFile.Refusal) {
                file = try SecretFile.open(path, from: origin, operations: operations)
            } catch {
                switch error {
                case .link: throw failure(2, "is a symbolic link; use the path of the file itself")
                case .missing: throw failure(1, "is missing; restore it from a copy, or create it as the documentation of EncryptedFileKey says")
                case .system(let code): throw KeyringError(FileError(.read, path, code))
                case .notRegular(let kind): throw failure(3, "is \(kind.rawValue), not a regular file")
                case .notPrivate: throw .accessDenied
                }
            }
            let size = file.status.identity.size
            guard size >= Self.leastByteCount else { throw failure(4, "has fewer than 32 bytes") }
            guard size <= Self.mostByteCount else { throw failure(5, "has more than 64 KiB") }
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
                var key = EncryptedFileSeal.randomBytes(Self.leastByteCount)
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

#if EncryptedFile
    import StoredValuesFiles
    import StoredValuesSupport

    /// A file that contains only a key. Read again for each derivation, and never kept.
    struct KeyFile {
        private static let leastByteCount = 32
        private static let mostByteCount = 1 << 16

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
            guard status.identity.size >= Self.leastByteCount else { throw failure(4, "has fewer than 32 bytes") }
            guard status.identity.size <= Self.mostByteCount else { throw failure(5, "has more than 64 KiB") }
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

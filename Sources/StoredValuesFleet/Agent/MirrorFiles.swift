#if Fleet
    import FoundationEssentials
    import StoredValues
    import StoredValuesFiles
    import StoredValuesSupport

    /// The files that an agent writes for one application. All calls block on the disk.
    ///
    /// Whoever can write to the folders controls what programs read and, by links, what an agent that runs as root overwrites. So the folders
    /// must belong to the agent's user or root, nobody else may write to them, and links in them are not followed.
    final class MirrorFiles {
        private let mirror: DurableFile
        private let report: DurableFile
        private let secrets: DurableFile
        /// The epoch and generation of the latest secrets that were seen; older ones must not replace these.
        private let seenSecrets: DurableFile
        /// Only its lock is used, which is held while the agent runs; the file itself does not exist.
        private let agent: DurableFile
        private var lock: HeldLock?
        /// The digest and the identity of the mirror when it was last read or written.
        private var lastMirror: (digest: UInt64, identity: FileIdentity)?
        /// Whether the folders on the path to the files were synced since they were made.
        private var areFoldersDurable = false

        init(_ folder: FleetFolder, applicationID id: String, operations: FileOperations = .posix) {
            mirror = DurableFile(path: folder.mirror(of: id), operations: operations)
            report = DurableFile(path: folder.report(of: id), operations: operations)
            secrets = DurableFile(path: folder.secrets(of: id), operations: operations)
            seenSecrets = DurableFile(path: folder.seenSecrets(of: id), operations: operations)
            agent = DurableFile(path: "\(folder.path)/\(id)/agent", operations: operations)
        }

        // MARK: The folders

        /// Makes the folders, which all users may read and only this one may write, or throws if another user controls one. Returns what
        /// operators should know.
        func prepare() throws -> [String] {
            let folders = [mirror, report].map { ResolvedPath.folder(of: $0.path) }
            return try Set(folders).flatMap { folder in
                try makeFolder(folder)
                // Whoever can write to the parent could replace the folder.
                return try [claim(ResolvedPath.folder(of: folder), mayBeLink: true), claim(folder, mayBeLink: false)].compactMap(\.self)
            }
        }

        private var operations: FileOperations { mirror.operations }

        private func makeFolder(_ path: String) throws {
            guard try mirror.status(at: path, followingLinks: true) == nil else { return }
            areFoldersDurable = false
            try makeFolder(ResolvedPath.folder(of: path))
            do {
                try operations.makeFolder(path, mode: 0o755)
            } catch .exists {
                return  // the agent of another application was faster
            } catch {
                throw FileError(.createFolder, path, error)
            }
            // Whatever the umask.
            try withFolder(path) { descriptor in try operations.changeMode(of: descriptor, to: 0o755) }
        }

        /// Takes the right to write to the folder from others, or throws if it is neither this user's nor root's. Returns what
        /// operators should know.
        private func claim(_ path: String, mayBeLink: Bool) throws -> String? {
            if let entry = try mirror.status(at: path, followingLinks: false), entry.kind == .link {
                guard mayBeLink, isTrusted(entry) else { throw Self.notOwn(path, "is a symbolic link", cure: "Remove it: rm \"\(path)\"") }
            }
            return try withFolder(path) { descriptor in
                let status = try operations.status(of: descriptor)
                guard isTrusted(status) else {
                    throw Self.notOwn(
                        path, "belongs to the user with the number \(status.user)",
                        cure: "Remove it, if it is not yours: rm -r \"\(path)\"; or give it to the agent's user: chown -R \(effectiveUser()) \"\(path)\"")
                }
                // Folders in one with the sticky bit, such as /tmp, are safe: others cannot remove them.
                guard status.mode & 0o022 != 0, !(mayBeLink && status.mode & 0o1000 != 0) else { return nil }
                guard status.user == effectiveUser() else {
                    return "Others may write \"\(path)\", and so change what programs read. Prevent that: chmod go-w \"\(path)\""
                }
                try operations.changeMode(of: descriptor, to: status.mode & ~0o022)
                return "Others could write \"\(path)\", and so change what programs read. Now only its owner may (chmod go-w)."
            }
        }

        /// The error of a file or folder through which another user could control the agent.
        private static func notOwn(_ path: String, _ what: String, cure: String) -> FleetError {
            .misconfigured("\"\(path)\" \(what), so the agent does not use it: others could change what programs read, or what it overwrites. \(cure)")
        }

        private func isTrusted(_ status: FileStatus) -> Bool { status.user == 0 || status.user == effectiveUser() }

        private func withFolder<Result>(_ path: String, _ body: (Int32) throws -> Result) throws -> Result {
            let descriptor: Int32
            do { descriptor = try operations.open(path, for: .folder) } catch { throw FileError(.examine, path, error) }
            defer { operations.close(descriptor) }
            return try body(descriptor)
        }

        /// Throws if there is a link, or a file of another user, who could change it later.
        private func claim(_ file: DurableFile) throws {
            for path in [file.path, "\(file.path).lock"] {
                guard let status = try file.status(at: path, followingLinks: false) else { continue }
                let what = status.kind == .link ? "is a symbolic link" : isTrusted(status) ? nil : "belongs to the user with the number \(status.user)"
                if let what { throw Self.notOwn(path, what, cure: "Remove it: rm \"\(path)\"") }
            }
        }

        // MARK: The lock

        var lockPath: String { "\(agent.path).lock" }

        /// Locks the files against other agents until this object is released. False if another agent has locked them.
        func takeLock() throws -> Bool {
            lock = nil
            do {
                try claim(agent)
                lock = HeldLock(try agent.lock(timeout: .zero))
                return true
            } catch let error as FileError where error.isLockTimeout {
                return false
            }
        }

        /// Whether this agent holds the lock, and its file is still in place.
        var areHeld: Bool { lock?.file.isInPlace ?? false }

        // MARK: The files

        /// What the mirror holds, and the digest of its file; nil if there is none. Throws if it cannot be read.
        func read() throws -> (FleetMirror, digest: UInt64)? {
            try claim(mirror)
            guard let found = try mirror.read() else { return nil }
            let digest = FleetFolder.digest(of: found.bytes)
            lastMirror = (digest, found.identity)
            return (try FleetMirror(parsing: found.bytes), digest)
        }

        /// The digest of the mirror; nil if it cannot be read. Reads the file only if its identity has changed, or if `always`.
        func mirrorDigest(always: Bool = false) -> UInt64? {
            if !always, let lastMirror, (try? mirror.currentIdentity()) == lastMirror.identity { return lastMirror.digest }
            lastMirror = nil
            guard (try? claim(mirror)) != nil, let found = try? mirror.read() else { return nil }
            lastMirror = (FleetFolder.digest(of: found.bytes), found.identity)
            return lastMirror?.digest
        }

        /// Calls `changed` when the mirror may have changed, until the result is released.
        func watchMirror(_ changed: @escaping @Sendable () -> Void) -> FileWatch? {
            operations.canBeWatched ? FileWatch(mirror) { _ in changed() } : nil
        }

        func readSecrets() -> AgentSteps.Secrets {
            do {
                for file in [secrets, seenSecrets] { try claim(file) }
                return .read(bytes: try secrets.read()?.bytes, seen: try seenSecrets.read().flatMap { SecretsVerdict.Seen(parsing: $0.bytes) })
            } catch {
                return .unread(why: "\(error)")
            }
        }

        /// Since when the mirror may be outdated, as programs see it before this agent reports: by the last report, or where that is gone, as
        /// after a restart of the machine, since the mirror was written.
        func outdatedSince() -> Date? {
            guard (try? claim(report)) != nil, let last = try? report.read(), let since = FleetReport(parsing: last.bytes)?.outdatedSince else {
                return (try? mirror.currentIdentity())?.modificationDate
            }
            return since
        }

        func write(mirror bytes: [UInt8]) throws {
            lastMirror = nil
            lastMirror = (FleetFolder.digest(of: bytes), try write(bytes, to: mirror, durably: true))
        }

        func write(secrets bytes: [UInt8]) throws { _ = try write(bytes, to: secrets, durably: true) }

        func write(seen: SecretsVerdict.Seen) throws { _ = try write(seen.bytes, to: seenSecrets, durably: true) }

        func write(_ content: FleetReport) throws { _ = try write(content.bytes, to: report, durably: false) }

        private func write(_ bytes: [UInt8], to file: DurableFile, durably: Bool) throws -> FileIdentity {
            try makeFolder(ResolvedPath.folder(of: file.path))  // that of the reports may have been removed
            if durably, !areFoldersDurable {
                try file.syncAncestors(of: file.path)
                areFoldersDurable = true
            }
            try claim(file)
            let lock = try file.lock(timeout: .seconds(30))
            return try lock.replace(with: bytes, durably: durably, modeIfNew: 0o644)
        }
    }
#endif

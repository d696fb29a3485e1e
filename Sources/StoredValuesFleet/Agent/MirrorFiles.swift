#if Fleet
    import Dispatch
    import FoundationEssentials
    import StoredValues
    import StoredValuesFiles
    import StoredValuesSupport

    /// The files that an agent writes for one application: the mirror, and the report about it. Their calls wait for the disk, off
    /// the threads of tasks.
    final class MirrorFiles: Sendable {
        private let mirror: DurableFile
        private let report: DurableFile
        private let secrets: DurableFile
        /// What was seen of the secrets, which no older ones may replace.
        private let seenSecrets: DurableFile
        /// Its lock is held while the agent runs; there is no such file.
        private let agent: DurableFile
        private let queue = DispatchQueue(label: "StoredValues.fleet-agent")

        init(_ folder: FleetFolder, applicationID id: String, operations: any FileOperations = POSIXFileOperations()) {
            mirror = DurableFile(path: folder.mirror(of: id), operations: operations)
            report = DurableFile(path: folder.report(of: id), operations: operations)
            secrets = DurableFile(path: folder.secrets(of: id), operations: operations)
            seenSecrets = DurableFile(path: folder.seenSecrets(of: id), operations: operations)
            agent = DurableFile(path: "\(folder.path)/\(id)/agent", operations: operations)
        }

        /// Makes the folders, which programs of all users may read.
        func prepare() async throws {
            try await perform { [mirror, report] in
                for path in [mirror.path, report.path] { try Self.makeFolder(of: path) }
            }
        }

        /// Waits until no other agent keeps these files, and keeps them until the returned object is released; nil if the task is
        /// cancelled before.
        func hold() async throws -> Hold? {
            while true {
                do {
                    return try await perform { [agent] in Hold(try agent.lock(timeout: .zero)) }
                } catch let error as FileError {
                    guard case .lockTimedOut = error.reason else { throw error }
                }
                // Not by a wait for the lock itself, which would either never end or look a thousand times a second.
                guard await pause(for: .milliseconds(500)) else { return nil }
            }
        }

        /// What the mirror holds, and in which file; nil if there is none. Throws if it cannot be read.
        func read() async throws -> (FleetMirror?, FileIdentity?) {
            try await perform { [mirror] in
                guard let found = try mirror.read() else { return (nil, nil) }
                return (try FleetMirror(parsing: found.bytes), found.identity)
            }
        }

        /// The file that is the mirror now; nil if there is none.
        func mirrorIdentity() async throws -> FileIdentity? { try await perform { [mirror] in try mirror.currentIdentity() } }

        /// Replaces the mirror, and returns what file it is then. It survives a power cut when this returns.
        func write(_ content: FleetMirror) async throws -> FileIdentity { try await write(content.bytes, to: mirror, durably: true) }

        /// Replaces the report. It need not survive anything.
        func write(_ content: FleetReport) async throws { try await write(content.bytes, to: report, durably: false) }

        /// The bytes of the encrypted file; nil if there is none.
        func readSecrets() async throws -> (bytes: [UInt8]?, seen: SecretsVerdict.Seen?) {
            try await perform { [secrets, seenSecrets] in
                (try secrets.read()?.bytes, try seenSecrets.read().flatMap { SecretsVerdict.Seen(parsing: $0.bytes) })
            }
        }

        /// Replaces the encrypted file, then notes what was seen: after a crash in between, the file is at least as new.
        func write(secrets bytes: [UInt8], seen: SecretsVerdict.Seen) async throws {
            try await write(bytes, to: secrets, durably: true)
            try await write(seen: seen)
        }

        func write(seen: SecretsVerdict.Seen) async throws { try await write(seen.bytes, to: seenSecrets, durably: true) }

        @discardableResult
        private func write(_ bytes: [UInt8], to file: DurableFile, durably: Bool) async throws -> FileIdentity {
            try await perform {
                let lock = try file.lock(timeout: .seconds(30))
                return try lock.replace(with: bytes, durably: durably, modeIfNew: 0o644)
            }
        }

        private func perform<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
            try await withCheckedThrowingContinuation { continuation in
                queue.async { continuation.resume(with: Swift.Result(catching: body)) }
            }
        }

        private static func makeFolder(of path: String) throws {
            let manager = FileManager.default
            var missing: [String] = []
            var next = path
            while let slash = next.utf8.lastIndex(of: UInt8(ascii: "/")) {
                next = String(next[..<slash])
                guard !next.isEmpty, !manager.fileExists(atPath: next) else { break }
                missing.append(next)
            }
            for folder in missing.reversed() {
                try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
                // Whatever the umask: programs of all users read what is in it.
                try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
            }
        }
    }

    extension MirrorFiles {
        /// The lock of the one agent that keeps the files.
        final class Hold: Sendable {
            private let lock: LockedFile

            fileprivate init(_ lock: consuming LockedFile) { self.lock = lock }
        }
    }
#endif

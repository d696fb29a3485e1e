import Dispatch
import StoredValuesFiles
import StoredValuesSupport

/// Reports changes of secrets in a folder of credentials, for all keyrings of this process with that folder. Each file has its own
/// watch, because in a mounted Kubernetes secret symlinks outside of it are retargeted: so only those in use are watched, and the last
/// ones read.
final class CredentialsChanges: Sendable {
    /// How many of the most recently read secrets are followed.
    static let recentLimit = 64

    /// A secret that is followed as long as this object exists. Its files are watched from the first listener on.
    final class Followed: Sendable {
        private let id: SecretIdentifier
        private weak let changes: CredentialsChanges?
        private let watches = Guarded<[FileWatch]>([])

        fileprivate init(_ id: SecretIdentifier, in changes: CredentialsChanges) { (self.id, self.changes) = (id, changes) }

        deinit { changes?.followed.remove(id) }

        fileprivate func watch() {
            guard watches.withLock({ $0.isEmpty }), let new = changes?.watches(of: id) else { return }
            watches.withLock { if $0.isEmpty { $0 = new } }
        }
    }

    private let folder: CredentialsFolder
    private let broadcaster = ChangeBroadcaster()
    // The watch thread must not wait.
    private let queue = DispatchQueue(label: "StoredValues.CredentialsChanges")
    let followed = WeakTable<SecretIdentifier, Followed>()
    /// The secrets read last, latest at the end.
    private let recent = Guarded<[Followed]>([])

    private static let inUse = WeakTable<[UInt8], CredentialsChanges>()

    static func shared(for folder: CredentialsFolder) -> CredentialsChanges {
        inUse.object(for: Array(folder.path.utf8)) { CredentialsChanges(folder) }
    }

    private init(_ folder: CredentialsFolder) { self.folder = folder }

    deinit { Self.inUse.remove(Array(folder.path.utf8)) }

    var changes: KeyringChanges {
        broadcaster.changes { [self] in
            for secret in followed.objects { secret.watch() }
            return self
        }
    }

    /// Makes ``changes`` report `id` as long as the returned object exists. Call it before reading the secret.
    func follow(_ id: SecretIdentifier) -> Followed {
        let secret = followed.object(for: id) { Followed(id, in: self) }
        if broadcaster.listenerCount > 0 { secret.watch() }
        return secret
    }

    private func watches(of id: SecretIdentifier) -> [FileWatch] {
        let schedule = RefreshSchedule(on: queue) { [weak broadcaster] in broadcaster?.announce(.secret(id)) }
        return folder.paths(of: id).map { path in
            FileWatch(DurableFile(path: path, operations: folder.operations)) { schedule.note($0) }
        }
    }

    /// Makes ``changes`` report `id` until a number of others were read. Call it before reading the secret.
    func noteReading(of id: SecretIdentifier) {
        let followed = follow(id)
        let oldest = recent.withLock { recent -> Followed? in
            recent.removeAll { $0 === followed }
            recent.append(followed)
            return recent.count > Self.recentLimit ? recent.removeFirst() : nil
        }
        withExtendedLifetime(oldest) {}  // its watches end without the lock
    }
}

import Dispatch
import StoredValuesFiles
import StoredValuesSupport

/// Tells when the files behind secrets change that were read from a folder of credentials. All keyrings of this process
/// with that folder share it.
///
/// Each file is watched by itself, for in a mounted secret of Kubernetes it is links outside of the file that are turned.
final class CredentialsChanges: Sendable {
    let broadcaster: ChangeBroadcaster
    private let secrets: Secrets

    private init(folder: CredentialsFolder) {
        let secrets = Secrets(folder)
        self.secrets = secrets
        broadcaster = ChangeBroadcaster { broadcaster in Listener(secrets, broadcaster) }
    }

    /// Lets listeners, those of now and later ones, hear of changes of `id`. To be called before it is read.
    func follow(_ id: SecretIdentifier) { secrets.insert(id) }

    // MARK: Watching

    /// Which secrets are followed, and by whom.
    private final class Secrets: Sendable {
        private struct State {
            var ids: Set<SecretIdentifier> = []
            weak var listener: Listener?
        }

        let folder: CredentialsFolder
        private let state = Guarded(State())

        init(_ folder: CredentialsFolder) { self.folder = folder }

        func insert(_ id: SecretIdentifier) {
            let listener = state.withLock { $0.ids.insert(id).inserted ? $0.listener : nil }
            listener?.watch(id)
        }

        /// Makes `listener` the one that is told of further secrets, and returns those of now.
        func begin(_ listener: Listener) -> Set<SecretIdentifier> {
            state.withLock { state in
                state.listener = listener
                return state.ids
            }
        }
    }

    /// Announces changes for as long as it lives.
    private final class Listener: Sendable {
        private let folder: CredentialsFolder
        private let announce: @Sendable (KeyringChange) -> Void
        private let watches = Guarded<[FileWatch]>([])

        init(_ secrets: Secrets, _ broadcaster: ChangeBroadcaster) {
            folder = secrets.folder
            // The thread of the watch must wait for nobody, and the broadcaster is busy while this is made.
            let queue = DispatchQueue(label: "StoredValues.CredentialsChanges")
            announce = { [weak broadcaster] change in queue.async { [broadcaster] in broadcaster?.announce(change) } }
            for id in secrets.begin(self) { watch(id) }
        }

        func watch(_ id: SecretIdentifier) {
            let new = folder.paths(of: id).map { path in
                FileWatch(DurableFile(path: path, operations: folder.operations)) { [announce] event in
                    if event != .beingWritten { announce(.secret(id)) }  // its writer has not finished
                }
            }
            watches.withLock { $0 += new }
        }
    }

    // MARK: One for each folder

    private struct Weak { weak var changes: CredentialsChanges? }
    private static let byPath = Guarded<[[UInt8]: Weak]>([:])

    /// The one of `folder`.
    static func shared(for folder: CredentialsFolder) -> CredentialsChanges {
        byPath.withLock { known in
            let path = Array(folder.path.utf8)  // two that look alike are two folders
            if let changes = known[path]?.changes { return changes }
            let changes = CredentialsChanges(folder: folder)
            known = known.filter { $0.value.changes != nil }
            known[path] = Weak(changes: changes)
            return changes
        }
    }
}

import StoredValuesFiles
import StoredValuesSupport

/// Tells of the changes of one encrypted file, whichever process makes them. All keyrings of this process that have the file
/// share it, so that a change of ours is told once and by its name, and one of others once, without a name.
final class EncryptedFileChanges: Sendable {
    let broadcaster: ChangeBroadcaster
    private let told: EncryptedFileListener.Told

    private init(file: DurableFile) {
        let told = EncryptedFileListener.Told(nil)
        self.told = told
        broadcaster = ChangeBroadcaster { broadcaster in
            EncryptedFileListener(file: file, told: told, broadcaster: broadcaster)
        }
    }

    /// Tells of `change`, which `replace` makes in the file that was `old` before.
    func make(
        _ change: KeyringChange, in old: FileIdentity?, _ replace: () throws(FileError) -> FileIdentity
    ) throws(FileError) {
        let isOldKnown = try told.identity.withLock { identity throws(FileError) in
            let isKnown = identity == old
            identity = try replace()
            return isKnown
        }
        // Another process's change came just before ours, and the watch will find none but ours.
        if !isOldKnown { broadcaster.announce(.anySecret) }
        broadcaster.announce(change)
    }

    // MARK: One for each file

    private struct Weak { weak var changes: EncryptedFileChanges? }
    private static let byPlace = Guarded<[[UInt8]: Weak]>([:])

    /// The one of `file`, whose real path is `place`.
    static func shared(for file: DurableFile, at place: String) -> EncryptedFileChanges {
        byPlace.withLock { known in
            let place = Array(place.utf8)  // two that look alike are two files
            if let changes = known[place]?.changes { return changes }
            let changes = EncryptedFileChanges(file: file)
            known = known.filter { $0.value.changes != nil }
            known[place] = Weak(changes: changes)
            return changes
        }
    }
}

import Dispatch
import StoredValuesFiles
import StoredValuesSupport

/// Announces that another process changed an encrypted file, for as long as it lives.
final class EncryptedFileListener: Sendable {
    /// The file as it was when listeners were told last; nil when there was none.
    ///
    /// Its lock is held while this process replaces the file, for the watch sees that before we are back from doing it.
    final class Told: Sendable {
        let identity: Guarded<FileIdentity?>
        init(_ identity: FileIdentity?) { self.identity = Guarded(identity) }
    }

    private let watch: FileWatch

    /// Announces to `broadcaster`, which it does not keep, what happens after this.
    init(file: DurableFile, told: Told, broadcaster: ChangeBroadcaster) {
        // The thread of the watch belongs to all watches, and must not wait for our lock.
        let queue = DispatchQueue(label: "StoredValues.EncryptedFileListener")
        watch = FileWatch(file) { [weak broadcaster] event in
            // Half a file would read as damage. Who writes in place, such as a restored copy, closes it in the end.
            guard event != .beingWritten else { return }
            queue.async { [broadcaster] in
                guard Self.isNews(in: file, told) else { return }
                broadcaster?.announce(.anySecret)
            }
        }
        _ = Self.isNews(in: file, told)  // what there is now is no news
    }

    /// Whether the file is another one than listeners were told of. They are told of this one then.
    private static func isNews(in file: DurableFile, _ told: Told) -> Bool {
        told.identity.withLock { identity in
            let now = try? file.currentIdentity()  // one that cannot be looked at is told as one that went
            defer { identity = now }
            return now != identity
        }
    }
}

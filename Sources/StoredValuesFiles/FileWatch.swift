import StoredValuesSupport
import Synchronization

/// Reports when the file at a path may have changed, whoever changed it and however: by writing in place, renaming, retargeting
/// a symlink, or swapping a directory on the way. Nothing on the path need exist yet. It begins at once and ends when this
/// object is released.
///
/// - To miss nothing, create the watch first and then read the file.
/// - Your own changes are reported as well, and some events turn out to have changed nothing: compare the content.
/// - All watches of the process share one thread. Handlers run on it one after another, without a lock; they may create and end
///   watches, this one too. Only the delayed beginning of a watch that failed at first is reported on another thread.
/// - Not reported, because inotify(7) does not see it: changes through a second hard link in another folder or through mapped
///   memory, what is mounted over the file or a folder on the way while it is watched, and the causes in ``problem``: among them
///   a file system that other machines or programs change, and a file that is mounted by itself.
package final class FileWatch: Sendable {
    /// The last of several events: the final state is always reported.
    package enum Event: Sendable {
        /// A file was moved to the path, or its writer closed it: it is complete, read it now.
        case replaced
        /// A program writes in place: the file may be incomplete. ``replaced`` follows when the writer closes it, which may be
        /// late, or never (truncate(2), link(2)).
        case beingWritten
        /// The file no longer exists.
        case removed
        /// The file, or a folder on the way, was moved away, as when it is swapped by two renames: usually it is replaced at
        /// once.
        case movedAway
        /// The path leads elsewhere, or events were missed. Read now, though the file may still be ``beingWritten``, and check
        /// ``FileWatch/problem``.
        case uncertain
    }

    private let thread: WatchThread
    private let number: Int

    /// Watches the path of `file` and calls `onEvent` on the watch thread, possibly before this returns.
    ///
    /// `onEvent` and its captures are retained until the watch ends: capture the owner of the watch weakly. While this process
    /// replaces files itself, events arrive up to 2 ms later.
    package convenience init(_ file: DurableFile, onEvent: @escaping @Sendable (Event) -> Void) {
        self.init(file, on: .shared, onEvent: onEvent)
    }

    init(_ file: DurableFile, on thread: WatchThread, onEvent: @escaping @Sendable (Event) -> Void) {
        self.thread = thread
        number = thread.begin(file, onEvent)
    }

    /// Notes that this process is about to change a file that it watches. If it does so again and again, its watches wake less often.
    package static func noteOwnChange() { WatchThread.lastOwnChange.store(monotonicNanoseconds(), ordering: .relaxed) }

    /// Why changes may go unseen; nil if all is well. What can be watched is watched all the same. ``Event/uncertain`` announces a
    /// change. Exhausted resources and missing permissions are retried automatically; after removing another cause, create a new watch.
    package var problem: FileError? { thread.problem(of: number) }

    /// Does not wait for a handler that is running on another thread.
    deinit { thread.end(number) }
}

/// Tells when what a path leads to may have changed, whoever changed it and however: by writing in place, by renaming, by
/// turning a link, by exchanging a folder on the way. Nothing on the way need exist yet. It begins at once and ends when
/// this value goes.
///
/// - To miss nothing, make the watch first and read the file then.
/// - One's own changes are told as well, and some of the events turn out to have changed nothing: compare what was read.
/// - All watches of the process share one thread, which sleeps until something happens. Handlers run on it one after the
///   other, with no lock held; they may make and end watches, this one too. While a handler runs, the others wait. Only that a
///   watch has begun which could not at first is told on another thread.
/// - Not told, for inotify(7) does not see it: changes through a second hard link in another folder or through mapped
///   memory, a file system mounted over a folder on the way, and what ``problem`` names.
package final class FileWatch: Sendable {
    /// What was seen last, when several things happened at once: the state it leaves is always told.
    package enum Event: Sendable {
        /// A file was moved to the place, or its writer closed it: what is there is whole, read it now.
        case replaced
        /// A writer works in place: what is there may be half a file. ``replaced`` follows when the writer closes it, which
        /// may be late, or never (truncate(2), link(2)).
        case beingWritten
        /// There is no file any more.
        case removed
        /// The file, or a folder on the way, is gone, as when it is exchanged by two renames: mostly something takes its
        /// place at once.
        case movedAway
        /// The path leads elsewhere, or changes were missed. Read now; nobody saw how that file was made, so if it does not
        /// look whole it may yet be in the making, as after ``beingWritten``. Read ``FileWatch/problem`` too.
        case uncertain
    }

    private let thread: WatchThread
    private let number: Int

    /// Watches the path of `file` and calls `onEvent` on the watch's thread, perhaps before this returns.
    ///
    /// `onEvent` is kept until the watch ends, with what it captures: the owner of the watch is to be captured weakly.
    ///
    /// - Parameter isOwnerBusy: Whether the owner is changing the file itself. The events of all watches come up to 2 ms later then.
    package convenience init(
        _ file: DurableFile, isOwnerBusy: @escaping @Sendable () -> Bool = { false },
        onEvent: @escaping @Sendable (Event) -> Void
    ) {
        self.init(file, on: .shared, isOwnerBusy: isOwnerBusy, onEvent: onEvent)
    }

    init(
        _ file: DurableFile, on thread: WatchThread, isOwnerBusy: @escaping @Sendable () -> Bool = { false },
        onEvent: @escaping @Sendable (Event) -> Void
    ) {
        self.thread = thread
        number = thread.begin(WatchedFile(file: file, isOwnerBusy: isOwnerBusy, onEvent: onEvent))
    }

    deinit { cancel() }

    /// Why changes may go unseen; nil when all is well. What can be watched is watched all the same. It may change with any
    /// event (``Event/uncertain`` tells of it). What there was no room for is tried again by itself; whoever removes another
    /// cause makes another watch.
    package var problem: FileError? { thread.problem(of: number) }

    /// Ends the watch. A call of the handler that has begun on another thread is not waited for. Can be repeated.
    package func cancel() { thread.end(number) }
}

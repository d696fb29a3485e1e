/// What the watch thread knows of a ``FileWatch``; it does not keep the watch itself.
struct WatchedFile: Sendable {
    let file: DurableFile
    let isOwnerBusy: @Sendable () -> Bool
    let onEvent: @Sendable (FileWatch.Event) -> Void

    var path: String { file.path }

    /// The way of the path as it is now.
    func currentPath() -> WatchedPath { WatchedPath(path, operations: file.operations) }
}

/// What is known of a watch's path, to be compared with what it is after an event.
struct WatchStatus: Equatable, Sendable {
    var path: WatchedPath?
    /// The inotify watch of the file's folder; nil while that is missing. Another folder has another number.
    var targetFolder: Int32?
    var problem: FileError?

    /// Whether the path leads to the same place as it did.
    func leadsToSamePlace(as other: WatchStatus) -> Bool {
        path?.target == other.path?.target && targetFolder == other.targetFolder
    }
}

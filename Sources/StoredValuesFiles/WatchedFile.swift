/// What the watch thread knows about a ``FileWatch``; it does not retain the watch itself.
struct WatchedFile: Sendable {
    let file: DurableFile
    let onEvent: @Sendable (FileWatch.Event) -> Void

    var path: String { file.path }

    /// The current folders and links of the path.
    func currentPath() -> WatchedPath { WatchedPath(path, operations: file.operations) }
}

/// The state of a watch's path, for comparison after an event.
struct WatchStatus: Equatable, Sendable {
    var path: WatchedPath?
    /// The inotify watch of the file's folder; nil while that is missing. Another folder has another number.
    var targetFolder: Int32?
    var problem: FileError?

    /// Whether the path still leads to the same file.
    func leadsToSamePlace(as other: WatchStatus) -> Bool {
        path?.target == other.path?.target && targetFolder == other.targetFolder
    }
}

/// What the watch thread knows of a ``FileWatch``; it does not keep the watch itself.
final class WatchedFile: Sendable {
    let path: String
    let onEvent: @Sendable (FileWatch.Event) -> Void
    let isOwnerBusy: @Sendable () -> Bool
    private let operations: any FileOperations

    init(
        file: DurableFile, isOwnerBusy: @escaping @Sendable () -> Bool,
        onEvent: @escaping @Sendable (FileWatch.Event) -> Void
    ) {
        path = file.path
        operations = file.operations
        self.onEvent = onEvent
        self.isOwnerBusy = isOwnerBusy
    }

    /// The way of the path as it is now.
    func currentPath() -> WatchedPath {
        WatchedPath(path, operations: operations)
    }
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

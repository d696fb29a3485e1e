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

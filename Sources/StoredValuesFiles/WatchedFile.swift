/// What the watch thread knows of a ``FileWatch``; it does not keep the watch itself.
package final class WatchedFile: Sendable {
    package let path: String
    package let onEvent: @Sendable (FileWatch.Event) -> Void
    package let isOwnerBusy: @Sendable () -> Bool
    private let operations: any FileOperations

    package init(
        file: DurableFile, isOwnerBusy: @escaping @Sendable () -> Bool,
        onEvent: @escaping @Sendable (FileWatch.Event) -> Void
    ) {
        path = file.path
        operations = file.operations
        self.onEvent = onEvent
        self.isOwnerBusy = isOwnerBusy
    }

    /// The way of the path as it is now.
    package func currentPath() -> WatchedPath {
        WatchedPath(path, operations: operations)
    }
}

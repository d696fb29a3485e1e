/// What the watch thread knows of a ``FileWatch``; it does not keep the watch itself.
final class WatchedFile: Sendable {
    let path: String
    let onEvent: @Sendable (FileWatch.Event) -> Void
    private let operations: any FileOperations

    init(file: DurableFile, onEvent: @escaping @Sendable (FileWatch.Event) -> Void) {
        path = file.path
        operations = file.operations
        self.onEvent = onEvent
    }

    /// The way of the path as it is now.
    func currentPath() -> WatchedPath {
        WatchedPath(path, operations: operations)
    }
}

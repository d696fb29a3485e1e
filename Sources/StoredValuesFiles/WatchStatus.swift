/// What is known of a watch's path, to be compared with what it is after an event.
package struct WatchStatus: Equatable, Sendable {
    package var path: WatchedPath?
    /// The inotify watch of the file's folder; nil while that is missing. Another folder has another number.
    package var targetFolder: Int32?
    package var problem: FileError?

    /// Whether the path leads to the same place as it did.
    package func leadsToSamePlace(as other: WatchStatus) -> Bool {
        path?.target == other.path?.target && targetFolder == other.targetFolder
    }
}

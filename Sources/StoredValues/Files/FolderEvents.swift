/// What inotify tells about a folder, and what it is asked to tell. The bits stand in `Inotify.swift`.
struct FolderEvents: OptionSet, Hashable, Sendable {
    let rawValue: UInt32

    /// The folder itself went, or is no longer watched.
    static let folderItself: FolderEvents = [.selfDeleted, .selfMoved, .unmounted, .watchEnded]
    /// Another thing, or nothing, has the name now.
    static let nameChanged: FolderEvents = [.created, .movedTo, .movedFrom, .deleted]
    /// Everything that happens to a file.
    static let file: FolderEvents = [.nameChanged, .written, .closedAfterWriting]
}

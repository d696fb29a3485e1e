/// What inotify tells about a folder, and what it is asked to tell. The bits stand in `Inotify.swift`.
package struct FolderEvents: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The folder itself went, or is no longer watched.
    package static let folderItself: FolderEvents = [.selfDeleted, .selfMoved, .unmounted, .watchEnded]
    /// Another thing, or nothing, has the name now.
    package static let nameChanged: FolderEvents = [.created, .movedTo, .movedFrom, .deleted]
    /// Everything that happens to a file.
    package static let file: FolderEvents = [.nameChanged, .written, .closedAfterWriting]
}

/// What happened to a disk, as far as it decides what a power cut leaves. Files and folders are told apart by a number.
enum DiskEvent {
    case madeFile(Int)
    case madeFolder(Int)
    /// A write; these are the file's bytes after it.
    case wrote(file: Int, [UInt8])
    /// One operation on a folder: what it binds names to; nil unbinds.
    case changed(folder: Int, [String: Int?])
    /// An fsync that succeeded. The path is there for people, and for tests that leave it out.
    case synchronized(Int, path: String)
    /// An fsync that failed: Linux counts what was to be written as written and forgets it.
    case failedToSynchronize(Int)
    /// Somebody begins to change the values, to the state of this number.
    case began(state: Int)
    /// Somebody was promised that this state would survive a power cut.
    case promised(state: Int)
}

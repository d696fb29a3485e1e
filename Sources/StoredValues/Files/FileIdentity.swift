/// Which file it is and in which state, as cheaply as the system can tell. While a ``FilePin`` holds the file, two equal
/// identities mean the same bytes.
///
/// The exception is a program that writes in place, the same number of bytes, twice within one tick of the kernel's
/// clock (at most 10 ms).
struct FileIdentity: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64
    var size: Int64
    var modified: Nanoseconds
    var changed: Nanoseconds

    /// Whether both are one file that nobody wrote in between. That it got another name does not count.
    func isUnwritten(since earlier: FileIdentity?) -> Bool {
        guard let earlier else { return false }
        return device == earlier.device && inode == earlier.inode && size == earlier.size && modified == earlier.modified
    }

    /// A moment as the file system keeps it: nanoseconds since 1970.
    typealias Nanoseconds = Int64
}

/// The bytes of a file and its identity just before they were read.
struct FileContents: Equatable, Sendable {
    var bytes: [UInt8]
    var identity: FileIdentity
}

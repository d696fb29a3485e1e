/// Which file it is and in which state, as cheaply as the system can tell. While a ``FilePin`` holds the file, two equal
/// identities mean the same bytes.
///
/// The exception is a program that writes in place, the same number of bytes, twice within one tick of the kernel's
/// clock (at most 10 ms).
package struct FileIdentity: Hashable, Sendable {
    package var device: UInt64
    package var inode: UInt64
    package var size: Int64
    package var modified: Nanoseconds
    package var changed: Nanoseconds

    /// Whether both are one file that nobody wrote in between. That it got another name does not count.
    package func isUnwritten(since earlier: FileIdentity?) -> Bool {
        guard let earlier else { return false }
        return device == earlier.device && inode == earlier.inode && size == earlier.size && modified == earlier.modified
    }

    /// A moment as the file system keeps it: nanoseconds since 1970.
    package typealias Nanoseconds = Int64
}

/// The bytes of a file and its identity just before they were read.
package struct FileContents: Equatable, Sendable {
    package var bytes: [UInt8]
    package var identity: FileIdentity
}

import StoredValuesSupport

/// The mounted file systems, from the text of `/proc/self/mountinfo` (proc(5)).
struct MountTable {
    /// Where each is mounted, in the table's spelling, and its type.
    private var mounts: [(point: String, type: Substring)] = []

    init(_ text: String) {
        for line in text.split(separator: "\n") {
            // 36 35 98:0 / /home/u rw,noatime shared:1 - nfs4 server:/export rw
            let fields = line.split(separator: " ")
            guard fields.count > 4, let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count else { continue }
            mounts.append((String(fields[4]), fields[dash + 1]))
        }
    }

    /// The type of the file system of `path`, which contains no links.
    func fileSystemType(at path: String) -> String? {
        // Blanks and similar characters are written as a backslash and three octal digits.
        let path = path.replacing("\\", by: "\\134").replacing(" ", by: "\\040").replacing("\t", by: "\\011").replacing("\n", by: "\\012")
        var best: (length: Int, type: Substring)?
        for (point, type) in mounts where point == "/" || path.isIdentical(to: point) || path.after(prefix: point + "/") != nil {
            // Of several at one place, the later one hides the earlier.
            if point.utf8.count >= best?.length ?? 0 { best = (point.utf8.count, type) }
        }
        return best.map { String($0.type) }
    }

    /// Whether a file system of this type can be changed without inotify noticing: by other machines, the host of a virtual
    /// machine, or the program that serves it.
    static func hidesChanges(_ type: String) -> Bool {
        if type.hasPrefix("fuse.") { return !localThroughFUSE.contains(type) }
        return remoteTypes.contains(type)
    }

    private static let remoteTypes: Set<String> = [
        "9p", "afs", "beegfs", "ceph", "cifs", "coda", "fuse", "gfs2", "gpfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2",
        "orangefs", "prl_fs", "smb3", "smbfs", "vboxsf", "virtiofs", "vmhgfs",
    ]

    /// Served by a local program, with nothing else changing the underlying files. (Local NTFS disks are "fuseblk".)
    private static let localThroughFUSE: Set<String> = ["fuse.fuse-overlayfs", "fuse.gocryptfs", "fuse.encfs", "fuse.cryfs"]
}

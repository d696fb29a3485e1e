import StoredValuesSupport

/// The mounted file systems, from the text of `/proc/self/mountinfo` (proc(5)).
struct MountTable {
    private var mounts: [(point: String, type: Substring)] = []

    init(_ text: String) {
        for line in text.split(separator: "\n") {
            // 36 35 98:0 / /home/u rw,noatime shared:1 - nfs4 server:/export rw
            let fields = line.split(separator: " ")
            guard fields.count > 4, let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count else { continue }
            mounts.append((Self.unescape(fields[4]), fields[dash + 1]))
        }
    }

    /// The type of the file system of `path`, which contains no links.
    func fileSystemType(at path: String) -> String? {
        var best: (length: Int, type: Substring)?
        for (point, type) in mounts where point == "/" || path.isIdentical(to: point) || path.after(prefix: point + "/") != nil {
            // Of several at one place, the later one hides the earlier.
            if point.utf8.count >= best?.length ?? 0 { best = (point.utf8.count, type) }
        }
        return best.map { String($0.type) }
    }

    /// Blanks and similar characters are written as a backslash and three octal digits.
    private static func unescape(_ text: Substring) -> String {
        guard text.utf8.contains(UInt8(ascii: "\\")) else { return String(text) }
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), let number = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8) {
                bytes.append(number)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
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

import Testing

@testable import StoredValues
@testable import StoredValuesFiles

@Suite("MountTable")
struct MountTableTests {
    private let table =
        #"""
        22 27 0:21 / /proc rw,relatime - proc proc rw
        27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
        30 27 0:30 / /home rw shared:2 master:3 - nfs4 server:/export rw
        31 30 0:31 / /home/anna\040b/é\134 rw - fuse.sshfs anna@host: rw
        32 27 0:32 / /mnt rw - ext4 /dev/vdb rw
        33 27 0:33 / /mnt rw - cifs //host/share rw
        half a line
        """#
}

extension MountTableTests {
    @Test(
        "A path lies on the file system mounted nearest to it, the latest of several",
        arguments: [
            ("/", "ext4"), ("/etc/x", "ext4"), ("/home", "nfs4"), ("/home/u/file", "nfs4"), ("/homes/file", "ext4"),
            ("/home/anna b/é\\/file", "fuse.sshfs"), ("/mnt/file", "cifs"),
        ])
    func nearest(path: String, type: String) {
        #expect(MountTable.mount(of: path, in: table)?.type == type)
    }

    @Test(
        "A path is a mount point if something is mounted there, and not above or below",
        arguments: [
            ("/", true), ("/home", true), ("/home/u", false), ("/homes", false), ("/home/anna b/é\\", true), ("/home/anna b", false), ("/mnt", true),
        ])
    func points(path: String, isMountPoint: Bool) {
        #expect(MountTable.mount(of: path, in: table)?.isHere == isMountPoint)
    }

    @Test("What a machine serves to others, or a program to the system, hides changes; local disks do not")
    func hiding() {
        for type in ["nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "lustre", "afs", "virtiofs", "fuse", "fuse.sshfs"] {
            #expect(MountTable.hidesChanges(type), "\(type)")
        }
        for type in ["ext4", "btrfs", "xfs", "tmpfs", "overlay", "fuseblk", "vfat", "zfs", "ecryptfs", "fuse.fuse-overlayfs"] {
            #expect(!MountTable.hidesChanges(type), "\(type)")
        }
    }

    @Test("The system's own table names the type of /proc, and its place")
    func system() throws {
        let (place, below) = try (Inotify().mount(of: "/proc"), Inotify().mount(of: "/proc/self"))
        #expect(below?.type == "proc" && place?.isHere == true && below?.isHere == false)
    }
}

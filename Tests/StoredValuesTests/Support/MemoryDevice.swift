import Glibc

/// A device that has no hardware behind it (null(4)).
enum MemoryDevice: String {
    case null, zero

    /// Linux's number for it: the major one in the upper byte, the minor one in the lower.
    private var number: dev_t { self == .null ? 0x103 : 0x105 }

    /// The path of one in `folder` where this process may make and use it, else of the machine's own. That one may be missing (seen in
    /// CI), and root could replace it.
    func path(in folder: String) -> String {
        let path = "\(folder)/\(rawValue)"
        guard mknod(path, S_IFCHR | 0o666, number) == 0 || errno == EEXIST else { return "/dev/\(rawValue)" }
        // In a folder that is mounted without devices it can be made, and not opened.
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else {
            unlink(path)
            return "/dev/\(rawValue)"
        }
        close(descriptor)
        return path
    }
}

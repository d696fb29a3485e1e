import Testing

/// A real cause for which a file cannot be written, made and cured by a process that talks (`TestProcess talk`).
///
/// In its lines, `$F` is the folder of the preferences.
struct Trouble: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The system's name for it, which people look for.
    let symbol: String
    /// Whether the folder must be a file system of its own.
    var isMounted = false
    /// Whether the process must not be root, who may do everything.
    var isForOthersThanRoot = false
    /// Whether the file is not to be found meanwhile, and so counts as removed.
    var hidesFile = false
    let cause: String
    let cure: String
    /// What flush() says of what to do.
    var advice: String?

    /// The disk has no room, may only be read, or is gone.
    static let ofDisk = [
        all[0], all[1],
        Trouble(
            testDescription: "an empty disk is in the place of the right one", symbol: "EROFS", isMounted: true, hidesFile: true,
            cause: "shell mount -t tmpfs -o ro none $F", cure: "shell umount -l $F"),
    ]

    static let all = [
        Trouble(
            testDescription: "the disk is full", symbol: "ENOSPC", isMounted: true,
            cause: "shell head -c 1M /dev/zero >$F/filler || true", cure: "shell rm $F/filler"),
        Trouble(
            testDescription: "the file system is read-only", symbol: "EROFS", isMounted: true,
            cause: "shell mount -o remount,ro $F", cure: "shell mount -o remount,rw $F"),
        Trouble(
            testDescription: "files must not be so large", symbol: "EFBIG",
            cause: "limit-file-size 10", cure: "limit-file-size none"),
        Trouble(
            testDescription: "the folder is not writable", symbol: "EACCES", isForOthersThanRoot: true,
            cause: "shell chmod 555 $F", cure: "shell chmod 755 $F"),
        Trouble(
            testDescription: "the folder is not to be entered", symbol: "EACCES", isForOthersThanRoot: true,
            cause: "shell chmod 0 $F", cure: "shell chmod 755 $F"),
        Trouble(
            testDescription: "the process has no descriptor left", symbol: "EMFILE",
            cause: "limit-descriptors 0", cure: "limit-descriptors none", advice: "ulimit -n"),
        Trouble(
            testDescription: "the file is mounted by itself", symbol: "EBUSY", isMounted: true,
            cause: "shell cp -p $F/p.json $F.own && mount --bind $F.own $F/p.json",
            cure: "shell umount -l $F/p.json",  // the process has it open
            advice: "mount the folder"),
        Trouble(
            testDescription: "a file is where the folder was", symbol: "ENOTDIR",
            cause: "shell touch $F.away && \(exchange)", cure: "shell \(exchange) && rm $F.away"),
    ]

    /// Exchanges the folder for what lies at `$F.away` at one instant (renameat2(2)): while there was none, its values would
    /// count as reset.
    private static let exchange =
        #"python3 -c 'import ctypes; ctypes.CDLL(None).renameat2(-100, b"$F", -100, b"$F.away", 2) and exit(1)'"#
}

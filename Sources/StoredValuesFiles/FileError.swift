package import StoredValuesSupport

/// Why a file could not be read, replaced or locked. The description says what was tried, on what, why it failed in the
/// system's words, and what to do. It never holds what the file contains.
package struct FileError: Error, Equatable {
    /// What was tried.
    package enum Operation: String, Sendable {
        case examine, read, replace, lock, remove, watch
        case setAside = "set aside"
        case synchronize = "bring to the disk"
        case createFolder = "create the folder"
    }

    /// Why it failed.
    package enum Reason: Equatable {
        /// A system call failed.
        case system(SystemErrorCode)
        /// Something other than a regular file lies there.
        case notRegular(FileKind)
        /// The file is larger than this many bytes.
        case tooLarge(limit: Int)
        /// Another process or thread kept the lock for this long.
        case lockTimedOut(after: Duration)
        /// More symbolic links than ``ResolvedPath/linkLimit``, or links in a circle.
        case tooManyLinks
        /// A symbolic link that another user made in a folder where everybody may make one.
        case foreignLink
        /// Every name for what is to be set aside is taken.
        case noFreeName
        /// The file system, named by its type, does not tell what other machines or programs change behind it.
        case changesUnseen(fileSystem: String)
        /// The folders on the way changed each time they were to be watched.
        case keepsChanging
        /// The path is relative, and the system does not name the folder that it begins at.
        case noWorkingFolder
    }

    package var operation: Operation
    package var path: String
    package var reason: Reason

    package init(_ operation: Operation, _ path: String, _ reason: Reason) {
        self.operation = operation
        self.path = path
        self.reason = reason
    }

    package init(_ operation: Operation, _ path: String, _ code: SystemErrorCode) {
        self.init(operation, path, code == .linkCircle ? .tooManyLinks : .system(code))
    }

    /// The system's number, where a system call failed.
    ///
    /// Not inlined: Swift 6.3.1 cannot compile what becomes of it then with optimisation ("Found ownership error").
    @inline(never)
    package var code: SystemErrorCode? {
        if case .system(let code) = reason { code } else { nil }
    }

    /// Whether the system refuses to let this process write there.
    package var isRefusal: Bool {
        code == .accessDenied || code == .notPermitted || code == .readOnly || reason == .foreignLink
    }

    /// Whether there was no room: on the disk, for another open file, watch or thread, or in memory. Others give that back at any
    /// time, and nobody is told.
    package var isLackOfRoom: Bool {
        guard let code else { return false }
        let lacks: [SystemErrorCode] = [
            .noSpace, .quotaExceeded, .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory, .wouldBlock,
        ]
        return lacks.contains(code)
    }

    /// Whether the lock was not to be had in time; nothing was changed then.
    package var isLockTimeout: Bool {
        if case .lockTimedOut = reason { true } else { false }
    }
}

extension FileError: CustomStringConvertible {
    package var description: String {
        "Could not \(operation.rawValue) \"\(path)\": \(why). \(advice)"
    }

    private var why: String {
        switch reason {
        case .system(let code): operation == .watch ? code.textOfWatching : "\(code)"
        case .notRegular(let kind): "it is \(kind.rawValue), not a regular file"
        case .tooLarge(let limit): "it is, or would become, larger than \(limit >> 20) MiB"
        case .lockTimedOut(let time): "another process or thread has kept its lock for \(time)"
        case .tooManyLinks: "its symbolic links are a circle, or more than \(ResolvedPath.linkLimit)"
        case .foreignLink: "it is another user's symbolic link in a folder where everybody may make one (EACCES)"
        case .noFreeName: "every name beside it is taken"
        case .changesUnseen(let type): "it lies on a file system (\(type)) that does not tell what is changed elsewhere"
        case .keepsChanging: "the folders and links on the way change faster than they can be followed"
        case .noWorkingFolder: "the folder that the program works in was removed, or its name is not UTF-8"
        }
    }

    private var advice: String {
        switch reason {
        case .system(let code):
            switch operation {
            case .watch: code.adviceForWatching
            case .lock: code.adviceForLocking
            default: code.advice
            }
        case .notRegular: "Move it away, or choose another path."
        case .tooLarge: "Files of this kind are never that large: keep large data elsewhere, and only where it is in here."
        case .lockTimedOut: "Find who has the lock file beside it open (fuser, lsof) and end that program; never delete the lock file."
        case .tooManyLinks: "Correct the links (namei -l shows them)."
        case .foreignLink: "Remove the link, or choose a path in a folder of your own."
        case .noFreeName: "Remove the files that were set aside before."
        case .changesUnseen: "Keep the file on a local disk if others' changes must be seen at once."
        case .keepsChanging: "Find what replaces them (inotifywait shows it)."
        case .noWorkingFolder: "Give an absolute path, or start the program in another folder."
        }
    }
}

extension SystemErrorCode: CustomStringConvertible {
    /// The system's text with the symbol in brackets: "no space left on device (ENOSPC)".
    package var description: String {
        let text = systemText
        let lowered = text.prefix(1).lowercased() + text.dropFirst()
        return "\(Self.symbols[self] == nil ? text : lowered) (\(Self.symbols[self] ?? "errno \(rawValue)"))"
    }

    private static let symbols: [SystemErrorCode: String] = [
        .accessDenied: "EACCES", .busy: "EBUSY", .exists: "EEXIST", .fileTooLarge: "EFBIG", .invalidArgument: "EINVAL",
        .ioFailed: "EIO", .isFolder: "EISDIR", .nameTooLong: "ENAMETOOLONG", .noDeviceOrPeer: "ENXIO",
        .noEntry: "ENOENT", .noMemory: "ENOMEM", .noSpace: "ENOSPC", .notFolder: "ENOTDIR", .notPermitted: "EPERM",
        .quotaExceeded: "EDQUOT", .readOnly: "EROFS", .linkCircle: "ELOOP", .tooManyOpenFiles: "EMFILE",
        .tooManyOpenFilesInSystem: "ENFILE", .wouldBlock: "EWOULDBLOCK",
    ]

    fileprivate var advice: String {
        switch self {
        case .accessDenied, .notPermitted:
            "Check the owner and mode of the file and of its folder (namei -l shows every folder on the way)."
        case .busy:
            "It is mounted by itself, as with \"docker run -v ./file:/file\", and so cannot be replaced: mount the folder that holds it."
        case .noSpace, .quotaExceeded: "Free some space; the file is as it was."
        case .fileTooLarge: "Raise the limit on file sizes (ulimit -f); the file is as it was."
        case .readOnly: "The file system is mounted read-only: mount it writable, or choose another path."
        case .notFolder: "A part of the path is a file where a folder is needed: move it away, or choose another path."
        case .isFolder: "A folder lies where a file is needed: move it away, or choose another path."
        case .noEntry: "A folder on the way, or the file itself, is gone: try again, or create it."
        case .nameTooLong: "Choose a shorter path."
        case .tooManyOpenFiles, .tooManyOpenFilesInSystem: "Close some files, or raise the limit (ulimit -n)."
        case .ioFailed: "The disk may be failing: look into the kernel's log (dmesg)."
        default: "The system gives no more detail."
        }
    }

    fileprivate var adviceForLocking: String {
        guard self == .accessDenied || self == .notPermitted else { return advice }
        return "Check the owner and mode of the lock file, if there is one, and of its folder (namei -l shows every folder on the way). A lock that another user left is to be given to the file's owner (chown, as root)."
    }

    // Where watching fails, three numbers mean something else than elsewhere (inotify_init(2), inotify_add_watch(2)).

    fileprivate var textOfWatching: String {
        switch self {
        case .noSpace: "all inotify watches that this user may have are in use (ENOSPC)"
        case .tooManyOpenFiles: "all inotify instances that this user may have, or all files of the process, are open (EMFILE)"
        default: "\(self)"
        }
    }

    fileprivate var adviceForWatching: String {
        switch self {
        case .noSpace: "Raise the limit (sysctl fs.inotify.max_user_watches)."
        case .tooManyOpenFiles: "Raise the limits (sysctl fs.inotify.max_user_instances, ulimit -n)."
        case .accessDenied: "A folder must be readable to be watched: check its mode (namei -l shows every folder on the way)."
        default: advice
        }
    }
}

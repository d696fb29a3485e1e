package import StoredValuesSupport

/// Why a file could not be read, replaced or locked. The description says what was tried, on which file, why it failed in the
/// system's words, and what to do. It never contains the file's content.
package struct FileError: Error, Equatable {
    /// What was tried.
    package enum Operation: String, Sendable {
        case examine, read, replace, lock, remove, watch
        case setAside = "set aside"
        case synchronize = "sync to the disk"
        case createFolder = "create the folder"
    }

    /// Why it failed.
    package enum Reason: Equatable {
        /// A system call failed.
        case system(SystemErrorCode)
        /// There is something other than a regular file.
        case notRegular(FileKind)
        /// The file is larger than this many bytes.
        case tooLarge(limit: Int)
        /// Another process or thread held the lock for this long.
        case lockTimedOut(after: Duration)
        /// More symbolic links than ``ResolvedPath/linkLimit``, or a loop of links.
        case tooManyLinks
        /// A symbolic link of another user in a folder where everybody may create one.
        case foreignLink
        /// Every name for a file to be set aside is taken.
        case noFreeName
        /// The file system, named by its type, does not report changes by other machines or programs.
        case changesUnseen(fileSystem: String)
        /// The folders on the way changed during each attempt to watch them.
        case keepsChanging
        /// The path is relative, and the working folder is unknown.
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

    /// The error number of a failed system call.
    ///
    /// Not inlined: Swift 6.3.1 fails to compile the optimised result ("Found ownership error").
    @inline(never)
    package var code: SystemErrorCode? {
        if case .system(let code) = reason { code } else { nil }
    }

    /// Whether the system does not permit this process to write there.
    package var isRefusal: Bool {
        code == .accessDenied || code == .notPermitted || code == .readOnly || reason == .foreignLink
    }

    /// Whether a resource was exhausted: disk space, open files, watches, threads or memory. It may become available at any
    /// time, without an event.
    package var isLackOfRoom: Bool {
        guard let code else { return false }
        let lacks: [SystemErrorCode] = [
            .noSpace, .quotaExceeded, .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory, .wouldBlock,
        ]
        return lacks.contains(code)
    }

    /// Whether the lock timed out; nothing was changed then.
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
        case .tooManyLinks: "its symbolic links are a loop, or more than \(ResolvedPath.linkLimit)"
        case .foreignLink: "it is another user's symbolic link in a folder where everybody may create one (EACCES)"
        case .noFreeName: "every name beside it is taken"
        case .changesUnseen(let type): "it is on a file system (\(type)) that does not report changes made elsewhere"
        case .keepsChanging: "the folders and links on the way change faster than they can be followed"
        case .noWorkingFolder: "the working folder was removed, or its name is not UTF-8"
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
        case .tooLarge: "Store large data in another file, and only its path in this one."
        case .lockTimedOut: "Find the program that has the lock file beside it open (fuser, lsof) and end it; never delete the lock file."
        case .tooManyLinks: "Correct the links (namei -l shows them)."
        case .foreignLink: "Remove the link, or choose a path in one of your own folders."
        case .noFreeName: "Remove the files that were set aside before."
        case .changesUnseen: "Keep the file on a local disk if changes by others must be seen at once."
        case .keepsChanging: "Find the program that replaces them (inotifywait shows it)."
        case .noWorkingFolder: "Use an absolute path, or start the program in another folder."
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
        case .accessDenied: "Check the owner and mode of the file and of its folder (namei -l shows every folder on the way)."
        case .notPermitted: "\(Self.accessDenied.advice) \(Self.listAdvice)"
        case .busy:
            "It is a mount point, as with \"docker run -v ./file:/file\", and so cannot be replaced: mount the folder that contains it."
        case .noSpace, .quotaExceeded: "Free some space; the file is unchanged."
        case .fileTooLarge: "Raise the limit on file sizes (ulimit -f); the file is unchanged."
        case .readOnly: "The file system is mounted read-only: mount it writable, or choose another path."
        case .notFolder: "A part of the path is a file where a folder is needed: move it away, or choose another path."
        case .isFolder: "A folder is where a file is needed: move it away, or choose another path."
        case .noEntry: "A folder on the way, or the file itself, is gone: try again, or create it."
        case .nameTooLong: "Choose a shorter path."
        case .tooManyOpenFiles, .tooManyOpenFilesInSystem: "Close some files, or raise the limit (ulimit -n)."
        case .ioFailed: "The disk may be failing: check the kernel's log (dmesg)."
        default: "The system gives no more detail."
        }
    }

    fileprivate var adviceForLocking: String {
        guard self == .accessDenied || self == .notPermitted else { return advice }
        return "Check the owner and mode of the lock file, if there is one, and of its folder (namei -l shows every folder on the way). Give a lock that another user left to the file's owner (chown, as root). \(Self.listAdvice)"
    }

    private static let listAdvice = "A file with an access control list (getfacl shows it) can be changed only by its owner, who must be in its group."

    // For watching, three error numbers have other meanings (inotify_init(2), inotify_add_watch(2)).

    fileprivate var textOfWatching: String {
        switch self {
        case .noSpace: "all inotify watches of this user are in use (ENOSPC)"
        case .tooManyOpenFiles: "all inotify instances of this user, or all file descriptors of the process, are in use (EMFILE)"
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

package import StoredValuesSupport

/// Why a file could not be read, replaced or locked. The description says what was tried, on which file, why it failed in the
/// system's words, and what to do. It never contains the file's content.
package struct FileError: Error, Equatable {
    package enum Operation: String, Sendable {
        case examine, read, create, replace, lock, remove, watch
        case setAside = "set aside"
        case synchronize = "sync to the disk"
        case createFolder = "create the folder"
    }

    package enum Reason: Equatable {
        case system(SystemErrorCode)
        case notRegular(FileKind)
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
        /// The file is mounted by itself, so that its changes are not those of its folder.
        case mountPoint
        /// The folders on the way changed during each attempt to watch them.
        case keepsChanging
        /// The path is relative, and the working folder is unknown.
        case noWorkingFolder
    }

    package var operation: Operation
    package var path: String
    package var reason: Reason

    package init(_ operation: Operation, _ path: String, _ reason: Reason) {
        (self.operation, self.path, self.reason) = (operation, path, reason)
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

    /// Whether a resource was exhausted: disk space, open files, watches, threads or memory. It may be there again without an event.
    package var isLackOfRoom: Bool {
        [.noSpace, .quotaExceeded, .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory, .wouldBlock].contains(code)
    }

    /// Whether the lock timed out; nothing was changed then.
    package var isLockTimeout: Bool {
        if case .lockTimedOut = reason { true } else { false }
    }
}

extension FileError: CustomStringConvertible {
    package var description: String { "Could not \(operation.rawValue) \"\(path)\": \(reasonAndAdvice)" }

    private var reasonAndAdvice: String {
        switch reason {
        case .system(let code): code.textAndAdvice(for: operation)
        case .notRegular(let kind): "it is \(kind.rawValue), not a regular file. Move it away, or choose another path."
        case .tooLarge(let limit):
            "it is, or would become, larger than \(limit >> 20) MiB. Store large data in another file, and only its path in this one."
        case .lockTimedOut(let time):
            """
            another process or thread has kept its lock for \(time). Find the program that has the lock file beside it open (fuser, lsof) \
            and end it; never delete the lock file.
            """
        case .tooManyLinks: "its path has a symlink loop, or more than \(ResolvedPath.linkLimit) symlinks. Correct the links (namei -l shows them)."
        case .foreignLink:
            """
            it is another user's symbolic link in a folder where everybody may create one (EACCES). Remove the link, or choose a path in \
            one of your own folders.
            """
        case .noFreeName: "every name beside it is taken. Remove the files that were set aside before."
        case .changesUnseen(let type):
            """
            it is on a file system (\(type)) that does not report changes made elsewhere. Keep the file on a local disk if changes by \
            others must be seen at once.
            """
        case .mountPoint:
            """
            it is a mount point, as with "docker run -v ./file:/file", and changes made elsewhere are not reported. Mount the folder that \
            contains it.
            """
        case .keepsChanging:
            """
            the folders and links on the way change faster than they can be followed. Find the program that replaces them (inotifywait \
            shows it).
            """
        case .noWorkingFolder:
            "the working folder was removed, or its name is not UTF-8. Use an absolute path, or start the program in another folder."
        }
    }
}

extension SystemErrorCode: CustomStringConvertible {
    /// The system's text with the symbol in brackets: "no space left on device (ENOSPC)".
    package var description: String {
        guard let symbol = Self.known[self]?.symbol else { return "\(systemText) (errno \(rawValue))" }
        return "\(systemText.prefix(1).lowercased())\(systemText.dropFirst()) (\(symbol))"
    }

    fileprivate func textAndAdvice(for operation: FileError.Operation) -> String {
        switch (operation, self) {
        // For watching, three error numbers have other meanings (inotify_init(2), inotify_add_watch(2)).
        case (.watch, .noSpace):
            "all inotify watches of this user are in use (ENOSPC). Raise the limit (sysctl fs.inotify.max_user_watches)."
        case (.watch, .tooManyOpenFiles):
            """
            all inotify instances of this user, or all file descriptors of the process, are in use (EMFILE). Raise the limits (sysctl \
            fs.inotify.max_user_instances, ulimit -n).
            """
        case (.watch, .accessDenied):
            "\(self). A folder must be readable to be watched: check its mode (namei -l shows every folder on the way)."
        case (.lock, .accessDenied), (.lock, .notPermitted):
            """
            \(self). Check the owner and mode of the lock file, if there is one, and of its folder (namei -l shows every folder on the \
            way). Give a lock that another user left to the file's owner (chown, as root). \(Self.listAdvice)
            """
        case (.synchronize, .noSpace), (.synchronize, .quotaExceeded): "\(self). Free some space."  // what was written may be there
        default: "\(self). \(Self.known[self]?.advice ?? "The system gives no more detail.")"
        }
    }

    private static let known: [SystemErrorCode: (symbol: String, advice: String?)] = [
        .accessDenied: ("EACCES", accessAdvice), .notPermitted: ("EPERM", "\(accessAdvice) \(listAdvice)"),
        .busy: (
            "EBUSY",
            "It is a mount point, as with \"docker run -v ./file:/file\", and so cannot be replaced: mount the folder that contains it."
        ),
        .noSpace: ("ENOSPC", roomAdvice), .quotaExceeded: ("EDQUOT", roomAdvice),
        .fileTooLarge: ("EFBIG", "Raise the limit on file sizes (ulimit -f); the file is unchanged."),
        .readOnly: ("EROFS", "The file system is mounted read-only: mount it writable, or choose another path."),
        .notFolder: ("ENOTDIR", "A part of the path is a file where a folder is needed: move it away, or choose another path."),
        .isFolder: ("EISDIR", "A folder is where a file is needed: move it away, or choose another path."),
        .noEntry: ("ENOENT", "A folder on the way, or the file itself, is gone: try again, or create it."),
        .nameTooLong: ("ENAMETOOLONG", "Choose a shorter path."),
        .tooManyOpenFiles: ("EMFILE", descriptorAdvice), .tooManyOpenFilesInSystem: ("ENFILE", descriptorAdvice),
        .ioFailed: ("EIO", "The disk may be failing: check the kernel's log (dmesg)."),
        .exists: ("EEXIST", nil), .invalidArgument: ("EINVAL", nil), .noDeviceOrPeer: ("ENXIO", nil), .noMemory: ("ENOMEM", nil),
        .linkCircle: ("ELOOP", nil), .wouldBlock: ("EWOULDBLOCK", nil),
    ]

    private static let accessAdvice = "Check the owner and mode of the file and of its folder (namei -l shows every folder on the way)."
    private static let listAdvice =
        "A file with an access control list (getfacl shows it) can be changed only by its owner, who must be in its group."
    private static let roomAdvice = "Free some space; the file is unchanged."
    private static let descriptorAdvice = "Close some files, or raise the limit (ulimit -n)."
}

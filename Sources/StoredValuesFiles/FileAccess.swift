import StoredValuesSupport

/// The owner and permissions of a file, for giving them to another file.
struct FileAccess {
    var user: UInt32
    var group: UInt32
    var mode: UInt32
    /// The access control list (acl(5)), as it is. If there is one, the mode's group bits are its mask, not the group's permissions.
    var list: [UInt8]?
    /// The file's `user.*` attributes (xattr(7)), in which programs keep notes.
    var attributes: [(name: String, value: [UInt8])] = []

    /// The name of the attribute that is the access control list.
    static let listName = "system.posix_acl_access"

    init(user: UInt32, group: UInt32, mode: UInt32 = 0o600) {
        (self.user, self.group, self.mode) = (user, group, mode)
    }

    /// The access of the file at `path`, whose status is `status`.
    init(of status: FileStatus, at path: String, _ operations: FileOperations) {
        self.init(user: status.user, group: status.group, mode: status.mode)
        do throws(SystemErrorCode) {
            for name in try operations.attributeNames(at: path) {
                if name == Self.listName {
                    list = try operations.attribute(name, at: path)
                } else if name.utf8.starts(with: "user.".utf8), let value = try? operations.attribute(name, at: path) {
                    attributes.append((name, value))
                }
            }
        } catch .notSupported, .notImplemented {
            // The file system does not support lists.
        } catch {
            mode &= 0o700  // an unreadable list may restrict anyone
        }
    }

    /// The access of the file's lock: for those who may replace the file. A reader must not be able to keep it locked.
    func ofLock() -> FileAccess {
        FileAccess(user: user, group: group, mode: list == nil ? Self.lockMode(mode) : 0o600)
    }

    /// Whether this process may replace the file: one with a list only as its owner or as root, who can keep both.
    var mayBeKept: Bool { list == nil || [0, user].contains(effectiveUser()) }

    static func lockMode(_ mode: UInt32) -> UInt32 {
        let writers = mode & 0o022
        return 0o600 | writers | writers << 1
    }

    /// Applies all of it to the file at `descriptor`, which was created at `path` and has the status `now`. If the system refuses a
    /// part, access is more restricted, never less. Throws ``SystemErrorCode/notPermitted`` if there is a list, and the owner or the
    /// group cannot be kept: its entries would mean others, and a former owner would have no access.
    func give(to descriptor: Int32, at path: String, now: FileStatus, _ operations: FileOperations) throws(SystemErrorCode) {
        // While the file is still new: its mode may soon keep its owner from writing. A missing attribute does not change access.
        for (name, value) in attributes { try? operations.setAttribute(name, of: descriptor, to: value) }
        var (mode, list) = (mode, list)
        if now.user != user || now.group != group, !giveOwner(to: descriptor, at: path, now: now, operations) {
            // Another group must not get the permissions of the old one.
            mode = mode & ~0o070 | (mode & 0o007) << 3 & mode
        }
        if list != nil {
            let given = try operations.status(of: descriptor)
            guard given.user == user, given.group == group else { throw .notPermitted }
        }
        // A folder may give new files a default list, whose mask the group's bits would widen.
        if list != nil || mode & 0o070 != 0 {
            do { try operations.setAttribute(Self.listName, of: descriptor, to: list) } catch {
                let isAbsent = [.noData, .notSupported, .notImplemented].contains(error)
                if list != nil || !isAbsent { (mode, list) = (mode & 0o700, nil) }
            }
        }
        // Setting a list sets the mode.
        if list == nil, now.mode != mode { try operations.changeMode(of: descriptor, to: mode) }
    }

    /// Returns whether the group is now right.
    private func giveOwner(to descriptor: Int32, at path: String, now: FileStatus, _ operations: FileOperations) -> Bool {
        // The owner of the folder may have put a link in its place while the file was created, and must not gain a file in
        // another folder that way.
        guard now.user == user || Self.isOpen(descriptor, at: path, operations) else { return now.group == group }
        // Only root may change the owner, but an owner may choose one of their own groups.
        if (try? operations.changeOwner(of: descriptor, user: user, group: group)) != nil { return true }
        return now.group == group || (try? operations.changeOwner(of: descriptor, user: nil, group: group)) != nil
    }

    /// Whether `descriptor` is the file or folder at `path`, which contains no links.
    static func isOpen(_ descriptor: Int32, at path: String, _ operations: FileOperations) -> Bool {
        guard let place = try? operations.readLink("/proc/self/fd/\(descriptor)") else { return false }
        return place.utf8.elementsEqual(path.utf8)
    }
}

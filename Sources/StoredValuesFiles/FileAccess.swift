import StoredValuesSupport

/// Whose a file is and who may do what with it, to be given to another file.
struct FileAccess {
    var user: UInt32
    var group: UInt32
    var mode: UInt32
    /// Where there is one, the mode's group bits are its mask, and say nothing of the group.
    var list: AccessList?
    /// The file's attributes `user.*` (xattr(7)), in which programs note things.
    var attributes: [(name: String, value: [UInt8])] = []

    init(user: UInt32, group: UInt32, mode: UInt32 = 0o600) {
        (self.user, self.group, self.mode) = (user, group, mode)
    }

    /// That of the file at `path`, which is as `status` says.
    init(of status: FileStatus, at path: String, _ operations: any FileOperations) {
        self.init(user: status.user, group: status.group, mode: status.mode)
        do throws(SystemErrorCode) {
            for name in try operations.attributeNames(at: path) {
                if name == AccessList.name {
                    list = AccessList(try operations.attribute(name, at: path))
                    if list == nil { throw .invalidArgument }
                } else if name.utf8.starts(with: "user.".utf8), let value = try? operations.attribute(name, at: path) {
                    attributes.append((name, value))
                }
            }
        } catch .notSupported, .notImplemented {
            // The file system has no lists.
        } catch {
            mode &= 0o700  // for whom a list is that cannot be read is not known
        }
    }

    /// That of a lock on the file: for those who may write it. Whoever could only read it must not be able to keep it locked.
    func ofLock() -> FileAccess {
        var access = self
        access.mode = Self.lockMode(mode)
        if access.mode == 0o600 { access.list = nil } else { access.list?.keepWriters() }
        access.attributes = []
        return access
    }

    /// The mode of a lock on a file with that mode.
    static func lockMode(_ mode: UInt32) -> UInt32 {
        let writers = mode & 0o022
        return 0o600 | writers | writers << 1
    }

    /// Gives all of it to the file at `descriptor`, which was made at `path` and is as `now` says. What the system refuses to give
    /// leaves people with less, never with more.
    func give(to descriptor: Int32, at path: String, now: FileStatus, _ operations: any FileOperations) throws(SystemErrorCode) {
        var mode = mode
        var list = list
        if now.user != user || now.group != group, !giveOwner(to: descriptor, at: path, now: now, operations) {
            // Another group must not get what was meant for the old one.
            mode = mode & ~0o070 | (mode & 0o007) << 3 & mode
            list?.limitOwningGroup()
        }
        // A group keeps its members, but a list is no more than its entries.
        if now.user != user, list != nil, (try? operations.status(of: descriptor))?.user != user { list?.letIn(user) }
        if let bytes = list?.bytes {
            do {
                try operations.setAttribute(AccessList.name, of: descriptor, to: bytes)
            } catch {
                mode &= 0o700
                list = nil
            }
        } else if mode & 0o070 != 0 {
            // A folder may give new files a list of its own, whose mask these bits would open.
            do {
                try operations.setAttribute(AccessList.name, of: descriptor, to: nil)
            } catch .noData, .notSupported, .notImplemented {
                // no list
            } catch {
                mode &= 0o700
            }
        }
        // A list sets the mode.
        if list == nil, now.mode != mode { try operations.changeMode(of: descriptor, to: mode) }
        // Nobody reads more or less for want of one.
        for (name, value) in attributes { try? operations.setAttribute(name, of: descriptor, to: value) }
    }

    /// Returns whether the group is right now.
    private func giveOwner(to descriptor: Int32, at path: String, now: FileStatus, _ operations: any FileOperations) -> Bool {
        // Whoever owns the folder may have put a link in its place while the file was made, and must not get a file in another
        // folder by that.
        guard now.user == user || Self.lies(descriptor, at: path, operations) else { return now.group == group }
        // Only root gives files away, but one may give a file to a group of one's own.
        if (try? operations.changeOwner(of: descriptor, user: user, group: group)) != nil { return true }
        return now.group == group || (try? operations.changeOwner(of: descriptor, user: nil, group: group)) != nil
    }

    /// Whether the file at `descriptor` has that path, which holds no links.
    static func lies(_ descriptor: Int32, at path: String, _ operations: any FileOperations) -> Bool {
        guard let place = try? operations.readLink("/proc/self/fd/\(descriptor)") else { return false }
        return place.utf8.elementsEqual(path.utf8)
    }
}

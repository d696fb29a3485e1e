import StoredValuesSupport

/// The real path: every symbolic link on the way resolved, "." and ".." removed. Nothing need exist but what ".." leads out of.
package enum ResolvedPath {
    /// The number of links that the system follows before it gives up (path_resolution(7)); so do we.
    static let linkLimit = 40

    /// Resolves the absolute `path` as far as possible, and returns every link that was followed, in order. The existing part of the
    /// target contains no link. With an obstacle, it is where following ended: links form a cycle, or a component is not a folder.
    static func follow(
        _ path: String, operations: FileOperations
    ) -> (target: String, links: [String], obstacle: FileError?) {
        do { try requireAbsolute(path) } catch { return (path, [], error) }
        if operations.hasNoLinks(path) { return (path, [], nil) }  // nearly always, and asked for each change
        /// What is still to be resolved, the next component last.
        var rest: [String] = path.parts(separatedBy: "/").reversed()
        var found = "/", links: [String] = []
        while let part = rest.popLast() {
            if part == "." { continue }
            if part == ".." {
                // As the system does, by which the file is read.
                do throws(SystemErrorCode) {
                    guard try operations.status(at: found, followingLinks: false).kind == .folder else { throw .notFolder }
                } catch {
                    return (found, links, FileError(.examine, path, error))
                }
                found = folder(of: found)
                continue
            }
            let parent = found
            found = "\(parent == "/" ? "" : parent)/\(part)"
            do {
                let text = try operations.readLink(found)
                links.append(found)
                guard links.count <= linkLimit else { return (found, links, FileError(.examine, path, .tooManyLinks)) }
                if rest.isEmpty, isForeign(found, operations) { return (found, links, FileError(.examine, found, .foreignLink)) }
                found = text.begins(with: "/") ? "/" : parent
                rest += text.parts(separatedBy: "/").reversed()
            } catch .invalidArgument, .noEntry {
                // Not a link, or nothing there yet.
            } catch {
                return (found, links, FileError(.examine, path, error))
            }
        }
        return (found, links, nil)
    }

    /// Whether the system would refuse to follow this link as the last component of a path (proc_sys_fs(5),
    /// protected_symlinks): it is another user's, in a folder where everybody may create one. We only read links, which it permits.
    private static func isForeign(_ link: String, _ operations: FileOperations) -> Bool {
        guard let folder = try? operations.status(at: folder(of: link), followingLinks: false), folder.mode & 0o1002 == 0o1002
        else { return false }
        guard let user = try? operations.status(at: link, followingLinks: false).user else { return true }
        return user != folder.user && user != effectiveUser()
    }

    /// Throws unless `path` is absolute: a relative one would mean another path as soon as the working folder changes. Nor may it be a folder's:
    /// the system follows such a path differently once there is a file.
    static func requireAbsolute(_ path: String) throws(FileError) {
        guard path.begins(with: "/") else { throw FileError(.examine, path, .noWorkingFolder) }
        let end = path.utf8.suffix(2)
        guard end.last != UInt8(ascii: "/"), !end.elementsEqual("/.".utf8) else { throw FileError(.examine, path, .isFolder) }
    }

    /// The folder that contains `path`, which is absolute or has a slash.
    package static func folder(of path: String) -> String {
        let start = nameStart(of: path), end = start > path.startIndex ? path.utf8.index(before: start) : start
        return end > path.startIndex ? String(path[..<end]) : "/"
    }

    /// The last component of `path`.
    package static func name(of path: String) -> String {
        String(path[nameStart(of: path)...])
    }

    /// Where the last component of `path` begins. By a pointer, which takes a tenth of the time.
    static func nameStart(of path: String) -> String.Index {
        var text = path
        return path.utf8.index(path.startIndex, offsetBy: text.withUTF8 { ($0.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1 })
    }
}

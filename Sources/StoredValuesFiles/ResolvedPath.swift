import StoredValuesSupport

/// The real path: every symbolic link on the way resolved, "." and ".." removed. Nothing need exist.
package struct ResolvedPath: Equatable, Sendable {
    /// The number of links that the system follows before it gives up (path_resolution(7)); so do we.
    static let linkLimit = 40

    /// The real path. The existing part contains no link.
    var target: String
    /// The path of every link that was followed, in order.
    var links: [String]

    /// The folder of the target.
    var folder: String { Self.folder(of: target) }

    /// Resolves the absolute `path` as far as possible. With an error, the target is where it ended: links form a cycle, or a
    /// component is not a folder.
    static func follow(_ path: String, operations: any FileOperations) -> (way: ResolvedPath, obstacle: FileError?) {
        do { try requireAbsolute(path) } catch { return (Self(target: path, links: []), error) }
        var rest = path[...]
        /// The part resolved so far, without a trailing slash.
        var found = ""
        found.reserveCapacity(path.utf8.count)
        var links: [String] = []
        while let part = takePart(from: &rest) {
            if part == "." { continue }
            if part == ".." {
                found.removeSubrange((found.utf8.lastIndex(of: slash) ?? found.startIndex)...)
                continue
            }
            let folderEnd = found.utf8.count
            found += "/"
            found.append(contentsOf: part)
            func end(_ error: FileError) -> (ResolvedPath, FileError) { (Self(target: found, links: links), error) }
            do {
                let text = try operations.readLink(found)
                links.append(found)
                guard links.count <= linkLimit else { return end(FileError(.examine, path, .tooManyLinks)) }
                let isLast = !rest.utf8.contains { $0 != slash }
                if isLast, isForeign(found, operations) { return end(FileError(.examine, found, .foreignLink)) }
                let kept = text.begins(with: "/") ? 0 : folderEnd
                found.removeSubrange(found.utf8.index(found.startIndex, offsetBy: kept)...)
                rest = "\(text)/\(rest)"
            } catch .invalidArgument, .noEntry {
                // Not a link, or nothing there yet.
            } catch {
                return end(FileError(.examine, path, error))
            }
        }
        return (Self(target: found.isEmpty ? "/" : found, links: links), nil)
    }

    /// Whether the system would refuse to follow this link as the last component of a path (proc_sys_fs(5),
    /// protected_symlinks): it is another user's, in a folder where everybody may create one. The system does not check that
    /// for us, because we only read links.
    private static func isForeign(_ link: String, _ operations: any FileOperations) -> Bool {
        guard let folder = try? operations.status(at: folder(of: link), followingLinks: false), folder.mode & 0o1002 == 0o1002
        else { return false }
        guard let user = try? operations.status(at: link, followingLinks: false).user else { return true }
        return user != folder.user && user != effectiveUser()
    }

    /// Throws unless `path` is absolute: a relative one would mean another path as soon as the working folder changes.
    static func requireAbsolute(_ path: String) throws(FileError) {
        guard path.begins(with: "/") else { throw FileError(.examine, path, .noWorkingFolder) }
    }

    /// The folder that contains the absolute `path`.
    package static func folder(of path: String) -> String {
        guard let end = path.utf8.lastIndex(of: slash), end != path.startIndex else { return "/" }
        return String(path[..<end])
    }

    /// The last component of `path`.
    package static func name(of path: String) -> String {
        String(path[(path.utf8.lastIndex(of: slash).map(path.utf8.index(after:)) ?? path.startIndex)...])
    }

    /// Removes and returns the first component of `path`; nil if there is none.
    private static func takePart(from path: inout Substring) -> Substring? {
        guard let start = path.utf8.firstIndex(where: { $0 != slash }) else { return nil }
        let part = path[start...].utf8.prefix { $0 != slash }
        path = path[part.endIndex...]
        return Substring(part)
    }

    // As bytes: searching for characters takes ten times as long, and this is done for each change.
    private static let slash = UInt8(ascii: "/")
}

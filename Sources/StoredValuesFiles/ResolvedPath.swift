import StoredValuesSupport

/// Where a path really leads: every symbolic link on the way followed, "." and ".." taken out. Nothing need exist.
package struct ResolvedPath: Equatable, Sendable {
    /// How many links the system follows before it gives up (path_resolution(7)); so do we.
    static let linkLimit = 40

    /// The real path. What exists of it holds no link.
    var target: String
    /// The path of every link that was followed, in order.
    var links: [String]

    /// The folder of the target.
    var folder: String { Self.folder(of: target) }

    /// Follows `path`, which is absolute, as far as it goes. With an error, the target is the place where it ended: links form a
    /// circle, or a part of the path is no folder.
    static func follow(_ path: String, operations: any FileOperations) -> (way: ResolvedPath, obstacle: FileError?) {
        do { try requireAbsolute(path) } catch { return (Self(target: path, links: []), error) }
        var rest = path[...]
        /// What was followed so far, without the slash at its end.
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
                // no link, or nothing there yet
            } catch {
                return end(FileError(.examine, path, error))
            }
        }
        return (Self(target: found.isEmpty ? "/" : found, links: links), nil)
    }

    /// Whether the system would not follow the link in the last place of a path (proc_sys_fs(5), protected_symlinks): it is
    /// another user's, in a folder where everybody may make one. It would not tell us either, for we read links.
    private static func isForeign(_ link: String, _ operations: any FileOperations) -> Bool {
        guard let folder = try? operations.status(at: folder(of: link), followingLinks: false), folder.mode & 0o1002 == 0o1002
        else { return false }
        guard let user = try? operations.status(at: link, followingLinks: false).user else { return true }
        return user != folder.user && user != effectiveUser()
    }

    /// Throws unless `path` is absolute: a relative one would lead to another place as soon as the working folder is another.
    static func requireAbsolute(_ path: String) throws(FileError) {
        guard path.begins(with: "/") else { throw FileError(.examine, path, .noWorkingFolder) }
    }

    /// The folder that the absolute path `path` lies in.
    package static func folder(of path: String) -> String {
        guard let end = path.utf8.lastIndex(of: slash), end != path.startIndex else { return "/" }
        return String(path[..<end])
    }

    /// The last part of `path`.
    package static func name(of path: String) -> String {
        String(path[(path.utf8.lastIndex(of: slash).map(path.utf8.index(after:)) ?? path.startIndex)...])
    }

    /// The first part of `path`, which goes on behind it then; nil when there is none.
    private static func takePart(from path: inout Substring) -> Substring? {
        guard let start = path.utf8.firstIndex(where: { $0 != slash }) else { return nil }
        let part = path[start...].utf8.prefix { $0 != slash }
        path = path[part.endIndex...]
        return Substring(part)
    }

    // As bytes: to look for characters takes ten times as long, and this is done for each change.
    private static let slash = UInt8(ascii: "/")
}

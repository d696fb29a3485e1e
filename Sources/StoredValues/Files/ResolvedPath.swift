/// Where a path really leads: every symbolic link on the way followed, "." and ".." taken out. Nothing need exist.
struct ResolvedPath: Equatable, Sendable {
    /// How many links the system follows before it gives up (path_resolution(7)); so do we.
    static let linkLimit = 40

    /// The real path. What exists of it holds no link.
    var target: String
    /// The path of every link that was followed, in order.
    var links: [String]

    /// The folder of the target.
    var folder: String { Self.folder(of: target) }

    /// Follows `path`, which is absolute. Throws when links form a circle, or a part of the path is no folder.
    init(_ path: String, operations: any FileOperations) throws(FileError) {
        var pending = Array(path.split(separator: "/").reversed())
        var found: [Substring] = []
        links = []
        while let part = pending.popLast() {
            if part == "." { continue }
            if part == ".." {
                _ = found.popLast()
                continue
            }
            let candidate = "/" + (found + [part]).joined(separator: "/")
            do {
                let text = try operations.readLink(candidate)
                links.append(candidate)
                if text.hasPrefix("/") { found = [] }
                pending += text.split(separator: "/").reversed()
            } catch .invalidArgument {
                found.append(part)  // no link
            } catch .noEntry {
                found.append(part)  // nothing there yet
            } catch {
                throw FileError(.examine, path, error)
            }
            guard links.count <= Self.linkLimit else { throw FileError(.examine, path, .tooManyLinks) }
        }
        target = "/" + found.joined(separator: "/")
    }

    /// The folder that the absolute path `path` lies in.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}

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
        let (way, obstacle) = Self.follow(path, operations: operations)
        if let obstacle { throw obstacle }
        self = way
    }

    private init(target: String, links: [String]) {
        self.target = target
        self.links = links
    }

    /// Follows `path` as far as it goes. With an error, the target is the place where it ended.
    static func follow(_ path: String, operations: any FileOperations) -> (way: ResolvedPath, obstacle: FileError?) {
        var pending = Array(path.split(separator: "/").reversed())
        /// What was followed so far, without the slash at its end.
        var found = ""
        var links: [String] = []
        while let part = pending.popLast() {
            if part == "." { continue }
            if part == ".." {
                found = String(found[..<(found.lastIndex(of: "/") ?? found.startIndex)])
                continue
            }
            let candidate = found + "/" + part
            func end(_ error: FileError) -> (ResolvedPath, FileError) { (Self(target: candidate, links: links), error) }
            do {
                let text = try operations.readLink(candidate)
                links.append(candidate)
                if text.hasPrefix("/") { found = "" }
                pending += text.split(separator: "/").reversed()
            } catch .invalidArgument {
                found = candidate  // no link
            } catch .noEntry {
                found = candidate  // nothing there yet
            } catch {
                return end(FileError(.examine, path, error))
            }
            guard links.count <= linkLimit else { return end(FileError(.examine, path, .tooManyLinks)) }
        }
        return (Self(target: found.isEmpty ? "/" : found, links: links), nil)
    }

    /// The folder that the absolute path `path` lies in.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }
    /// The last part of `path`.
    static func name(of path: String) -> String {
        String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
    }
}

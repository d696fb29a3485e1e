import Foundation

/// A ConfigMap or a Secret as a pod has it mounted. It is changed by the file operations that the kubelet makes
/// (`pkg/volume/util/atomic_writer.go` of Kubernetes), in their order.
struct KubernetesVolume {
    let path: String

    /// An empty volume at `path`: what is optional and not there yet.
    init(_ path: String) throws {
        self.path = path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// Makes these the files of the volume, all at once.
    func update(_ files: [String: String]) throws {
        let manager = FileManager.default
        let old = try? manager.destinationOfSymbolicLink(atPath: path + "/..data")
        let vanished = try old.map { try manager.contentsOfDirectory(atPath: "\(path)/\($0)") }?.filter { files[$0] == nil } ?? []

        var template = Array("\(path)/..2026_11_22_20_00_00.XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw SystemFailure("make a folder in \"\(path)\"", errno) }
        let new = String(cString: made)
        try check(chmod(new, 0o755), "chmod")
        for (name, text) in files {
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(new)/\(name)"))
            try check(chmod("\(new)/\(name)", 0o644), "chmod")
        }

        try check(symlink((new as NSString).lastPathComponent, path + "/..data_tmp"), "symlink")
        try check(rename(path + "/..data_tmp", path + "/..data"), "rename")

        for name in files.keys where (try? manager.destinationOfSymbolicLink(atPath: "\(path)/\(name)")) == nil {
            try check(symlink("..data/\(name)", "\(path)/\(name)"), "symlink")
        }
        for name in vanished { try check(unlink("\(path)/\(name)"), "unlink") }
        if let old { try manager.removeItem(atPath: "\(path)/\(old)") }
    }

    private func check(_ result: Int32, _ call: String) throws {
        if result != 0 { throw SystemFailure("\(call) in \"\(path)\"", errno) }
    }
}

import Foundation

/// A folder for one test. It is removed when this object goes.
public final class TemporaryHome: Sendable {
    /// The folder's path.
    public let path: String

    /// Makes a folder.
    public init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("example-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: path) } catch { print("\(path) was not removed: \(error)") }
    }

    /// All files in this folder and below it.
    public func files() throws -> [URL] {
        try FileManager.default.subpathsOfDirectory(atPath: path).map { URL(fileURLWithPath: "\(path)/\($0)") }
            .filter { try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true }
    }

    /// The text of the file at `path` in this folder; nil when there is none.
    public func text(of file: String) -> String? {
        try? String(contentsOfFile: "\(path)/\(file)", encoding: .utf8)
    }

    /// Writes a file at `path` in this folder as many editors do: a new file takes the place of the old one.
    public func write(_ text: String, to file: String) throws {
        let url = URL(fileURLWithPath: "\(path)/\(file)")
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: url, atomically: true, encoding: .utf8)
    }

    /// Writes into the file itself, as other editors do.
    public func writeInPlace(_ text: String, to file: String) throws {
        try text.write(toFile: "\(path)/\(file)", atomically: false, encoding: .utf8)
    }
}

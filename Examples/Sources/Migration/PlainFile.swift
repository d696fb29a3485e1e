import Foundation

/// The plain file in which the first version of the program kept the token.
struct PlainFile: Sendable {
    let path: String

    /// The text, without the line's end that an editor leaves; empty when it was wiped; nil when there is no file.
    func read() throws(TokenMoveError) -> String? {
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        } catch {
            throw .unreadable(path: path, reason: error.localizedDescription)
        }
        guard let text = String(bytes: data, encoding: .utf8) else { throw .unreadable(path: path, reason: "it is not UTF-8") }
        return text.trimmingCharacters(in: .whitespacesAndNewlines.union(CharacterSet(charactersIn: "\0")))
    }

    /// Overwrites the bytes, and removes the file. Where it is a link or has other names, what is there is wiped as well.
    ///
    /// Overwriting does what can be done from here: a disk or a file system that keeps older blocks keeps them. A token that
    /// others may have read should be replaced on the server.
    func wipeAndRemove() throws(TokenMoveError) {
        do {
            let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
            let count = try handle.seekToEnd()
            try handle.seek(toOffset: 0)
            try handle.write(contentsOf: Data(count: Int(count)))
            try handle.synchronize()
            try handle.close()
            try FileManager.default.removeItem(atPath: path)
        } catch CocoaError.fileNoSuchFile, CocoaError.fileReadNoSuchFile {
            // Another process was faster.
        } catch {
            throw .notRemoved(path: path, reason: error.localizedDescription)
        }
    }
}

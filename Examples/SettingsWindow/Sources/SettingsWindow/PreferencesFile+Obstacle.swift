import Glibc
import StoredValues

extension PreferencesFile {
    /// Why nothing can be stored in the file, for the person; nil if something can. The file is replaced as a whole, so that it is
    /// its folder that must be writable, or the nearest folder that exists.
    var obstacle: String? {
        var folder = path
        repeat {
            folder = folder.lastIndex(of: "/").map { String(folder[..<$0]) } ?? ""
        } while !folder.isEmpty && access(folder, F_OK) != 0
        guard access(folder.isEmpty ? "/" : folder, W_OK) != 0 else { return nil }
        return "Read-only: \(folder) cannot be written (\(String(cString: strerror(errno))))."
    }
}

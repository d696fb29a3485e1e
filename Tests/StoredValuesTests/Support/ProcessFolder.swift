import Foundation

/// A folder for what lives as long as the test process; it is removed at the process's end.
enum ProcessFolder {
    static let path: String = {
        let path = FileManager.default.temporaryDirectory.path + "/stored-values-tests-\(ProcessInfo.processInfo.processIdentifier)"
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            fatalError("the tests need a temporary folder: \(error)")
        }
        atexit { try? FileManager.default.removeItem(atPath: ProcessFolder.path) }
        return path
    }()
}

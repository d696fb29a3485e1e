import Foundation
import Testing

/// Runs `body` with the path of a fresh folder, and removes the folder afterwards; a failure to do so is reported.
func withTemporaryFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
    let path = try makeTemporaryFolder()
    defer { removeTemporaryFolder(path) }
    return try body(path)
}

/// The same for asynchronous tests.
func withTemporaryFolder<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: (String) async throws -> Result
) async throws -> Result {
    let path = try makeTemporaryFolder()
    defer { removeTemporaryFolder(path) }
    return try await body(path)
}

private func makeTemporaryFolder() throws -> String {
    let url = FileManager.default.temporaryDirectory.appending(path: "stored-values-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url.resolvingSymlinksInPath().path
}

private func removeTemporaryFolder(_ path: String) {
    // What preferences still do in the background may come between the listing of the folder and its removal, again and again.
    let end = ContinuousClock.now + hangLimit
    while true {
        do {
            return try FileManager.default.removeItem(atPath: path)
        } catch {
            guard ContinuousClock.now < end else {
                Issue.record(error, "the test's folder remains")
                return
            }
            sched_yield()
        }
    }
}

/// Removes a folder in which a store is at work. It is moved away first, in one step: the store removes files in it by itself, when it
/// detects that others are gone, and the removal would find them listed and missing.
func removeFolderInUse(_ path: String) throws {
    try FileManager.default.moveItem(atPath: path, toPath: path + ".gone")
    try FileManager.default.removeItem(atPath: path + ".gone")
}

/// What the file at `path` says.
func contents(ofFile path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
}

/// Who may do what with the file or folder at `path`, such as 0o600.
func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
}

/// Writes a file that nobody else can read.
func writePrivate(_ text: String, to path: String) throws {
    try writeFinished(Array(text.utf8), to: path)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
}

/// Makes a key file of an encrypted file; by default one that is accepted.
func makeKeyFile(_ path: String, byte: UInt8 = 7, count: Int = 32, mode: Int = 0o600) {
    let made = FileManager.default.createFile(
        atPath: path, contents: Data(repeating: byte, count: count), attributes: [.posixPermissions: mode])
    #expect(made)
}

/// Writes a file that nobody has touched for an hour, so that no reader takes it for half-written and waits for the rest.
func writeFinished(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    // Whole seconds: a fraction that rounds to a whole one would be refused (EINVAL was seen once).
    let hourAgo = Date(timeIntervalSinceReferenceDate: (Date.now.timeIntervalSinceReferenceDate - 3600).rounded())
    try FileManager.default.setAttributes([.modificationDate: hourAgo], ofItemAtPath: path)
}

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

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
    // Preferences bring themselves to the disk in the background, and may add a file while this counts them.
    for _ in 0..<10 where (try? FileManager.default.removeItem(atPath: path)) != nil { return }
    do {
        try FileManager.default.removeItem(atPath: path)
    } catch {
        Issue.record(error, "the test's folder remains")
    }
}

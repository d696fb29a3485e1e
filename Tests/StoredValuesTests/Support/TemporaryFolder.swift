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
    // What preferences still do in the background may come between the listing of the folder and its removal.
    for attempt in 1...10 {
        do {
            return try FileManager.default.removeItem(atPath: path)
        } catch {
            if attempt == 10 { Issue.record(error, "the test's folder remains") }
        }
    }
}

import Foundation
import StoredValues
import Testing

/// Runs `body` with the path of a fresh folder, and removes the folder afterwards.
func withFolder(_ body: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "stored-values-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    try await body(folder.resolvingSymlinksInPath().path)
}

/// Expects that a secret cannot be had because its keyring is not built in.
func expectNotBuiltIn(sourceLocation: SourceLocation = #_sourceLocation, _ call: () async throws -> Void) async {
    let error = await #expect(throws: SecretError.self, sourceLocation: sourceLocation) { try await call() }
    #expect(error?.reason == .notBuiltIn, sourceLocation: sourceLocation)
}

/// Runs the command line tool with `home` as its home and an encrypted file as its keyring.
func runTool(_ arguments: [String], input: String = "", home: String) throws -> (status: Int32, output: String, errors: String) {
    let tool = Process()
    // The test program lies beside it.
    tool.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "stored-values")
    tool.arguments = arguments
    tool.environment = ["HOME": home, "XDG_RUNTIME_DIR": home, "STORED_VALUES_APP": "demo", "STORED_VALUES_KEYRING": "file:\(home)/secrets"]
    let (standardInput, output, errors) = (Pipe(), Pipe(), Pipe())
    tool.standardInput = standardInput
    tool.standardOutput = output
    tool.standardError = errors
    // Before it runs: it may end without reading. All is less than a pipe holds, so that nobody waits for the other.
    try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try standardInput.fileHandleForWriting.close()
    try tool.run()
    let texts = try [output, errors].map { String(decoding: try $0.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self) }
    tool.waitUntilExit()
    return (tool.terminationStatus, texts[0], texts[1])
}

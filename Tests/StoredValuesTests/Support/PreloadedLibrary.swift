import Foundation
import Testing

extension TestProcesses {
    /// Compiles a file of `Tests/Programs`; returns the library, for `LD_PRELOAD`.
    func library(_ source: String, in folder: String) async throws -> String {
        let library = "\(folder)/\(source).so"
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../Programs/\(source)").path
        let compiler = try start(command: [try #require(Program(named: "clang")).path, "-shared", "-fPIC", "-o", library, path, "-ldl"])
        #expect(try await compiler.end() == .exit(0))
        return library
    }
}

import Foundation
import Testing

@testable import StoredValues

@Suite("A preferences file among processes", .timeLimit(.minutes(5)))
struct ProcessesTests {
    private let processes = TestProcesses()

    /// The number stored under `key`, read as a process does that was just started.
    private func stored(_ key: String, in path: String) -> Int {
        StoredValue(key: key, default: -1, storage: .ofAnotherProcess(path)).wrappedValue
    }

    @Test("8 processes that add to one number 1,000 times each lose nothing, and none starves")
    func update() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let start = ContinuousClock.now
            let all = try (0..<8).map { _ in try processes.start("update", path, "1000") }
            for process in all {
                let longest = try #require(try await process.line())
                #expect(process.logs == [], "waited \(longest) ms")
                print("longest wait: \(longest) ms at \(ContinuousClock.now - start)")
                #expect(try await process.end() == .exit(0))
            }
            #expect(stored("counter", in: path) == 8000)
        }
    }
}

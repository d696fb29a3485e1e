import Foundation
import Testing

@Suite("The wall clock", .hangLimit)
struct WallClockTests {
    private let processes = TestProcesses()
}

extension WallClockTests {
    @Test("Put back by an hour, it makes no wait longer")
    func putBack() async throws {
        try await withTemporaryFolder { folder in
            let library = try await processes.library("clock_ahead.c", in: folder)
            let environment = ProcessInfo.processInfo.environment.merging(["LD_PRELOAD": library]) { $1 }
            let waiting = try processes.start("wait", environment: environment)
            #expect(try await waiting.lines() == ["paused", "waited"])
        }
    }
}

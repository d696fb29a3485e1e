import Foundation
import StoredValues
import Testing

/// Many calls at once, and many one after the other, on one real daemon.
@Suite(
    "The desktop's keyring under strain", .heavy, .hangLimit,
    .enabled(if: PrivateDesktop.isAvailable, "\(PrivateDesktop.skipReason)"))
struct SecretServiceStrainTests {
    private let desktops = PrivateDesktops()
    private let processes = TestProcesses()
}

extension SecretServiceStrainTests {
    @Test("8 tasks in one process and 8 processes, 2,000 mixed operations: no error, no lost write")
    func together() async throws {
        let desktop = try await desktops.start()
        var running = [try processes.start("strain", "tasks", "8", "125", environment: desktop.environment)]
        for number in 0..<8 {
            running.append(try processes.start("strain", "process-\(number)", "1", "125", environment: desktop.environment))
        }
        for process in running { #expect(try await process.lines() == ["done"]) }

        let keyring = desktop.keyring()
        let names = (0..<8).flatMap { ["tasks \($0)", "process-\($0) 0"] }
        for name in names {
            for account in ["a", "b", "c"] {
                let id = SecretIdentifier(service: "strain", account: "\(name) \(account)")
                #expect(try await keyring.read(id) == Secret(name.utf8), "\(id)")
            }
        }
        #expect(try await keyring.identifiers(inService: "strain").count == names.count * 3 + 1)
    }

    @Test("Over 10,000 operations, with listeners that come and go, nothing piles up: no descriptor, thread or memory")
    func leaks() async throws {
        let desktop = try await desktops.start()
        // What threads keep ready for their next allocations counts as in use, and takes long to be all there.
        let environment = desktop.environment.merging(["GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"]) { $1 }
        let process = try processes.start("use-secrets", environment: environment)
        func footprint(after rounds: Int) async throws -> Footprint {
            let line = try await process.ask("\(rounds)")
            return try #require(Footprint(line), "\(line)")
        }
        let before = try await footprint(after: 500)  // every pool and cache has its size then
        var after = try await footprint(after: 2_500)  // of four operations
        defer { print("10,000 operations on the keyring: \(before), then \(after)") }
        // What ends in the background takes a few rounds more.
        try await eventually("nothing has piled up") {
            if after.exceeds(before) { after = try await footprint(after: 20) }
            return !after.exceeds(before)
        }
    }
}

/// What a process holds, as it prints it.
private struct Footprint {
    let descriptors: Int
    let threads: Int
    /// Bytes; 0 where they cannot be told.
    let memory: Int

    init?(_ line: String) {
        let numbers = line.split(separator: " ").compactMap { Int($0) }
        guard numbers.count == 3 else { return nil }
        (descriptors, threads, memory) = (numbers[0], numbers[1], numbers[2])
    }

    /// Whether this is more than the noise: a few threads of Dispatch, and in memory less than the smallest object (of 16
    /// bytes) for each of 10,000 operations.
    func exceeds(_ earlier: Footprint) -> Bool {
        descriptors > earlier.descriptors + 5 || threads > earlier.threads + 10 || memory > earlier.memory + 160_000
    }
}

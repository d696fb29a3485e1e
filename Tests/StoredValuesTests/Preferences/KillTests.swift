import Foundation
import Testing

@testable import StoredValues

/// Processes that are killed at random moments. Each lane kills one after the other that use the lane's file.
@Suite("A process that is killed", .heavy, .hangLimit)
struct KillTests {
    private let laneCount = 4
    private let limit = hangLimit
    private let environment = ProcessInfo.processInfo.environment
}

extension KillTests {
    @Test(
        "loses nothing that a set, a flush or a batch has returned for, and leaves a whole file",
        arguments: [("count", 56), ("count-and-flush", 20), ("count-in-batches", 20)])
    func kill(command: String, roundsPerLane: Int) async throws {
        try await withTemporaryFolder { folder in
            let result = try await lanes(command) { lane, generator in
                let path = "\(folder)/\(lane)/p.json"
                try writeBallast(path)
                var result = Result()
                var atLeast = 0
                // However the machine times it, some kill is to hit the middle of a write.
                var round = 0
                while round < roundsPerLane || result.inTheMiddle == 0 {
                    round += 1
                    let process = try ChildProcess(TestProcess.command([command, path]), environment: environment)
                    atLeast = try killAtRandom(process, atLeast, &generator, &result)
                    atLeast = try check(path, atLeast, &result)
                }
                try checkAfterNextSet(path, atLeast)
                return result
            }
            for lane in 0..<laneCount {
                let path = "\(folder)/\(lane)/p.json"
                try await PreferencesFile.ofAnotherProcess(path).flush()
                // The last set of this test may be on its way to the disk in the background.
                try await eventually("no temporary file is left") {
                    try names(beside: path).filter { $0.hasSuffix(".tmp") } == []
                }
            }
            print("\(command): \(result)")
            #expect(result.kills >= roundsPerLane * laneCount)
            #expect(result.changes > result.kills, "the processes were killed before they did anything")
        }
    }

    @Test("while it makes the folder and the file leaves none, or whole ones, and the next process goes on")
    func killAtCreation() async throws {
        try await withTemporaryFolder { folder in
            let result = try await lanes("creation") { lane, generator in
                var result = Result()
                var longest = Duration.milliseconds(10)
                var round = -1
                while round < 19 || result.inTheMiddle == 0 {
                    round += 1
                    let path = "\(folder)/\(lane)/\(round)/new/p.json"
                    let process = try ChildProcess(TestProcess.command(["count", path]), environment: environment)
                    #expect(try process.line(within: limit) == "0")  // the next thing it does is to make the file
                    var atLeast = 0
                    if round == 0 {
                        longest = try ContinuousClock().measure { atLeast = try number(try process.line(within: limit)) }
                    } else {
                        spin(longest * Double.random(in: 0..<1.2, using: &generator))
                    }
                    atLeast = try end(process, atLeast, &result)
                    result.changes += atLeast
                    if FileManager.default.fileExists(atPath: path) {
                        _ = try check(path, atLeast, &result)
                    } else {
                        #expect(atLeast == 0)
                        let isBegun = FileManager.default.fileExists(atPath: "\(folder)/\(lane)/\(round)")
                        if isBegun { result.inTheMiddle += 1 }
                    }
                    try checkAfterNextSet(path, atLeast)
                }
                return result
            }
            print("creation: \(result)")
        }
    }

    // MARK: One kill

    /// What was seen.
    private struct Result: CustomStringConvertible {
        var kills = 0
        /// Changes that the processes told of.
        var changes = 0
        /// Kills after which a temporary file was there, or the file held a change whose call had not returned, or, at the
        /// making of the file, none.
        var inTheMiddle = 0
        var leftTemporary = 0

        var description: String {
            "\(kills) kills, \(inTheMiddle) in the middle of a change, \(leftTemporary) with a temporary file left, among \(changes) changes"
        }
    }

    /// Runs `body` in several threads, each with random numbers of its own.
    private func lanes(
        _ name: String, _ body: @escaping @Sendable (Int, inout SeededGenerator) throws -> Result
    ) async throws -> Result {
        let seed = SeededGenerator.printedSeed(for: "KillTests, \(name)")
        return try await withThrowingTaskGroup { group in
            for lane in 0..<laneCount {
                group.addTask {
                    try await offPool {
                        Swift.Result {
                            var generator = SeededGenerator(seed: seed &+ UInt64(lane))
                            return try body(lane, &generator)
                        }
                    }.get()
                }
            }
            return try await group.reduce(into: Result()) { sum, result in
                sum.kills += result.kills
                sum.changes += result.changes
                sum.inTheMiddle += result.inTheMiddle
                sum.leftTemporary += result.leftTemporary
            }
        }
    }

    /// A value large enough that writing the file is a good part of a change.
    private func writeBallast(_ path: String) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        StoredValue(key: "ballast", default: "", storage: .ofAnotherProcess(path)).set(String(repeating: "x", count: 100_000))
    }

    /// Lets the process make some changes and kills it a random moment later. Returns the last value it printed.
    private func killAtRandom(
        _ process: ChildProcess, _ atLeast: Int, _ generator: inout SeededGenerator, _ result: inout Result
    ) throws -> Int {
        // Its first line is what it found in the file.
        var last = atLeast
        for _ in 0...Int.random(in: 0...4, using: &generator) { last = try number(try process.line(within: limit)) }
        spin(.microseconds(Int.random(in: 0..<1500, using: &generator)))
        last = try end(process, last, &result)
        result.changes += last - atLeast
        return last
    }

    /// Kills the process and returns the last value that it printed.
    private func end(_ process: ChildProcess, _ last: Int, _ result: inout Result) throws -> Int {
        process.kill()
        #expect(try process.waitForEnd(within: limit) == .signal(SIGKILL))
        result.kills += 1
        return try process.lines(within: limit).last.map(number) ?? last
    }

    /// Checks the file that a killed process left, and returns the value that it holds.
    private func check(_ path: String, _ atLeast: Int, _ result: inout Result) throws -> Int {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        let members = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let value = members["counter"] as? Int ?? 0
        #expect(
            value == atLeast || value == atLeast + 1,
            "the process told of \(atLeast), the file holds \(value): lost, or never set")
        if let twin = members["twin"] { #expect(twin as? Int == value) }
        let names = try names(beside: path)
        #expect(names.subtracting(OwnNames.all) == [])
        let isTemporaryLeft = names.contains(OwnNames.temporary)
        if isTemporaryLeft { result.leftTemporary += 1 }
        if isTemporaryLeft || value > atLeast { result.inTheMiddle += 1 }
        return value
    }

    /// The next process sets another value: no temporary file of the killed ones is left.
    private func checkAfterNextSet(_ path: String, _ atLeast: Int) throws {
        StoredValue(key: "next", default: 0, storage: .ofAnotherProcess(path)).set(1)
        #expect(try names(beside: path).contains(OwnNames.temporary) == false)
        let storage = PreferencesFile.ofAnotherProcess(path)
        #expect(StoredValue(key: "counter", default: 0, storage: storage).wrappedValue >= atLeast)
        #expect(StoredValue(key: "next", default: 0, storage: storage).wrappedValue == 1)
    }

    private func names(beside path: String) throws -> Set<String> {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        return Set(try FileManager.default.contentsOfDirectory(atPath: folder))
    }
}

import Foundation
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

@Suite("An encrypted file among processes", .hangLimit)
struct EncryptedFileProcessesTests {
    private let processes = TestProcesses()
}

extension EncryptedFileProcessesTests {
    /// The keyring in `folder` as a process opens it that was just started.
    private func keyring(in folder: String) -> EncryptedFileKeyring {
        EncryptedFileKeyring(path: folder + "/store", key: .file(folder + "/key"), deadline: hangLimit)
    }

    private func id(_ account: String) -> SecretIdentifier { SecretIdentifier(service: "processes", account: account) }

    @Test("A move that is killed in any of its steps has lost no secret, and another one finishes it")
    func killedMove() async throws {
        let accounts = (0..<5).map { "p-\($0)" }
        for step in 0..<(3 * accounts.count) {
            try await withTemporaryFolder { folder in
                makeKeyFile(folder + "/key")
                let source = keyring(in: folder)
                let destination = EncryptedFileKeyring(path: folder + "/new", key: .file(folder + "/key"), deadline: hangLimit)
                for account in accounts { try await source.write(Secret(account.utf8), for: id(account), label: "") }
                let process = try processes.start("move-secrets", folder + "/store", folder + "/key", folder + "/new")
                repeat {} while try await #require(process.line()) != "\(step)"
                _ = try await process.kill()
                for account in accounts {
                    let found = [try await source.read(id(account)), try await destination.read(id(account))].compactMap { $0 }
                    #expect(!found.isEmpty && found.allSatisfy { $0 == Secret(account.utf8) }, "step \(step), \(account)")
                }
                let moved = try await source.moveSecrets(inService: "processes", to: destination)
                let (copied, removed) = (min(5, max(0, step - 5)), max(0, step - 10))  // as the step began
                #expect(moved.copied.count <= 5 - copied && moved.copied.count + moved.alreadyThere.count <= 5 - removed, "step \(step)")
                #expect(try await source.identifiers(inService: "processes") == [])
                for account in accounts { #expect(try await destination.read(id(account)) == Secret(account.utf8)) }
            }
        }
    }

    @Test("20 processes that write at once lose nothing, and leave nothing behind")
    func writers() async throws {
        try await withTemporaryFolder { folder in
            makeKeyFile(folder + "/key")
            let all = try (0..<20).map {
                try processes.start("write-secrets", folder + "/store", folder + "/key", "p\($0)", "5")
            }
            for process in all {
                #expect(try await process.line() == "done")
                #expect(try await process.end() == .exit(0))
            }
            let keyring = keyring(in: folder)
            #expect(try await keyring.identifiers(inService: "processes").count == 100)
            for process in 0..<20 {
                for number in 0..<5 {
                    #expect(try await keyring.read(id("p\(process)-\(number)")) == Secret("\(number)".utf8))
                }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["key", "store", "store.lock"])
        }
    }

    @Test("200 processes or more killed while 8 write: all that was acknowledged is there, and the file is always whole")
    func killed() async throws {
        try await withTemporaryFolder { folder in
            makeKeyFile(folder + "/key")
            let path = folder + "/store"
            var writers = (0..<8).map { Writer(prefix: "p\($0)") }
            var leftovers = 0
            var round = 0
            // Until one was caught in the middle of a step, or this would tell nothing.
            while round < 25 || leftovers == 0 && writers.allSatisfy({ $0.unacknowledged == 0 }) {
                defer { round += 1 }
                let running = try writers.map {
                    try processes.start("step-secrets", path, folder + "/key", $0.prefix, "\($0.step)", "\(Int.max)")
                }
                for process in running { #expect(try await process.line() == "ready") }
                // Each in its turn says when all are killed, so that the others are caught wherever they are.
                var lastHeard = -1
                for _ in 0..<Int.random(in: 1...3) {
                    let line = try await running[round % 8].line()
                    lastHeard = try #require(line.flatMap { Int($0) })
                }
                for process in running { process.signal(SIGKILL) }
                leftovers += FileManager.default.fileExists(atPath: DurableFile.temporaryPath(of: path)) ? 1 : 0
                let keyring = keyring(in: folder)
                for (number, process) in running.enumerated() {
                    #expect(try await process.end() == .signal(SIGKILL))
                    var said = try await process.lines().compactMap { Int($0) }
                    if number == round % 8 { said.insert(lastHeard, at: 0) }
                    let steps = max(writers[number].step, (said.last ?? -1) + 1)
                    var found: [String: Int] = [:]
                    for account in writers[number].accounts {
                        if let secret = try await keyring.read(id(account)) { found[account] = try storedNumber(secret) }
                    }
                    let isRight = writers[number].take(found, doneBefore: steps)
                    #expect(isRight, "round \(round), \(writers[number]): \(found)")
                }
            }
            let landed = writers.reduce(0) { $0 + $1.unacknowledged }
            let steps = writers.reduce(0) { $0 + $1.step }
            print("\(round * 8) kills: \(steps) steps, \(landed) done that were not acknowledged, \(leftovers) files half replaced")
            // What was left is gone after the next change, even one that changes nothing.
            try await keyring(in: folder).remove(id("never there"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["key", "store", "store.lock"])
        }
    }

    private func storedNumber(_ secret: Secret) throws -> Int {
        try #require(Int(secret.withBytes { String(decoding: $0, as: UTF8.self) }))
    }
}

/// What a process of `step-secrets` has stored, by the rules of its steps.
private struct Writer {
    let prefix: String
    /// The next step.
    var step = 1
    var stored: [String: Int] = [:]
    /// How many steps were done though nobody heard of it.
    var unacknowledged = 0

    init(prefix: String) { self.prefix = prefix }

    var accounts: [String] { (0..<4).map { "\(prefix)-\($0)" } }

    private mutating func perform() {
        stored["\(prefix)-\(step % 4)"] = step % 5 == 0 ? nil : step
        step += 1
    }

    /// Whether `found` is what all steps before `done` leave, or one more. That is the state then.
    mutating func take(_ found: [String: Int], doneBefore done: Int) -> Bool {
        while step < done { perform() }
        if found == stored {
            // Indistinguishable from here: the next step may have been done if it changes nothing.
            return true
        }
        perform()
        unacknowledged += 1
        return found == stored
    }
}

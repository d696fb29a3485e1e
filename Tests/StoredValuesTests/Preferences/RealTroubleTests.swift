import Foundation
import Testing

@testable import StoredValues

@Suite("A preferences file and the real causes of trouble", .heavy, .hangLimit)
struct RealTroubleTests {
    private let processes = TestProcesses()
}

extension RealTroubleTests {
    /// What brings to the disk what is pending, once it can.
    enum Occasion: String, CaseIterable {
        case set = "set c 9"
        case flush = "flush"
        /// Nobody does anything.
        case none = ""
    }

    @Test(
        "Values are kept in memory, one line is logged, flush names file and cause, and the next write or flush, or time, saves everything",
        arguments: Trouble.all, Occasion.allCases)
    func trouble(_ trouble: Trouble, _ occasion: Occasion) async throws {
        try await withTemporaryFolder { outer in
            let folder = outer + "/config", path = folder + "/p.json"
            let process = try await start(trouble, outer, folder)
            func make(_ line: String) async throws {
                let answer = try await process.ask(line.replacingOccurrences(of: "$F", with: folder))
                #expect(answer == "ok" || answer.hasPrefix("0"), "\(line): \(answer)")
            }
            try await talk(process, ["set first 1": "ok", "flush": "flushed"])

            try await make(trouble.cause)
            try await talk(process, ["set a 1": "ok", "increase a": "ok", "set b 5": "ok"])
            try await talk(process, ["get a": "2", "get b": "5", "get first": "1"])
            for _ in 0..<2 {
                let failure = try await process.ask("flush")
                #expect(failure.contains(path) && failure.contains(trouble.symbol), "\(failure)")
                if let advice = trouble.advice { #expect(failure.contains(advice), "\(failure)") }
            }
            // By whichever thread has taken the line, which may be a moment later.
            try await eventually("it is logged") { !logsOfSaving(process).isEmpty }
            #expect(logsOfSaving(process).count == 1, "\(process.logs)")
            let log = try #require(logsOfSaving(process).first)
            #expect(log.hasPrefix("error: ") && log.contains(path) && log.contains(trouble.symbol))

            #expect(try await leftovers(process, folder) == [], "while the trouble lasts")

            try await make(trouble.cure)
            if occasion != .none { _ = try await process.ask(occasion.rawValue) }
            var expected = ["first": 1, "a": 2, "b": 5]
            if occasion == .set { expected["c"] = 9 }
            if occasion == .none {
                try await eventually("the values are in the file") { try await stored(process, path) == expected }
            }
            #expect(try await stored(process, path) == expected)
            try await talk(process, ["flush": "flushed"])
            #expect(try await leftovers(process, folder) == [])
            #expect(logsOfSaving(process).count == 1, "\(process.logs)")

            // It is news again when it happens again.
            try await make(trouble.cause)
            try await talk(process, ["set a 7": "ok", "set b 7": "ok"])
            try await eventually("it is logged again") { logsOfSaving(process).count > 1 }
            #expect(logsOfSaving(process).count == 2, "\(process.logs)")
            #expect(process.logs.count <= 6, "\(process.logs)")
            try await make(trouble.cure)
        }
    }

    @Test("A durable change that throws has changed nothing, in the file or in memory, twenty times over", arguments: Trouble.ofDisk)
    func durableChange(_ trouble: Trouble) async throws {
        try await withTemporaryFolder { outer in
            let folder = outer + "/config", path = folder + "/p.json"
            let process = try await start(trouble, outer, folder)
            try await talk(process, ["set-durably a 0": "ok", "set-durably b 7": "ok"])
            for round in 1...20 {
                let before = try await process.ask("shell cat \(path)")
                #expect(before.hasPrefix("0 {"), "\(before)")
                let made = try await process.ask(trouble.cause.replacingOccurrences(of: "$F", with: folder))
                #expect(made.hasPrefix("0"), "\(made)")
                let value = try await process.ask("get a")
                let failure = try await process.ask("set-durably a \(round)")
                #expect(failure.contains(path) && failure.contains(trouble.symbol), "\(failure)")
                // Where the file is gone, the default is read as soon as that is seen.
                let after = try await process.ask("get a")
                #expect(after == value || trouble.hidesFile && after == "0", "\(after)")
                let cured = try await process.ask(trouble.cure.replacingOccurrences(of: "$F", with: folder))
                #expect(cured.hasPrefix("0"), "\(cured)")
                #expect(try await process.ask("shell cat \(path)") == before)
                #expect(try await leftovers(process, folder) == [])
                try await talk(process, ["set-durably a \(round)": "ok", "get a": "\(round)", "get b": "7"])
            }
        }
    }

    /// What it logged of values that are not in the file. When the trouble begins it may be looking at the file because of an
    /// earlier change, or bringing that to the disk, or beginning to watch it, and say that it cannot.
    private func logsOfSaving(_ process: TestProcess) -> [String] {
        let others = ["Could not read the preferences", "Could not sync to the disk", "are seen only at the next"]
        return process.logs.filter { log in !others.contains { log.contains($0) } }
    }

    @Test("Of a file that is mounted by itself, the log says once that changes made elsewhere are not seen, and flush reads them")
    func mountedFile() async throws {
        try await withTemporaryFolder { outer in
            let folder = outer + "/config", path = folder + "/p.json", own = outer + "/own"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            try writeFinished(Array(#"{"a": 1}"#.utf8), to: own)
            let mounting = ["/bin/sh", "-c", #"touch "$0" && mount --bind \#(own) "$0" && exec "$@""#, path]
            let launcher = try await PrivateMount.launcher(at: folder, size: 256 << 10)
            let process = try processes.start("talk", path, by: launcher + mounting)
            func unseen() -> [String] { process.logs.filter { $0.contains("are seen only at the next change or flush()") } }
            try await eventually("the log") {
                try await talk(process, ["get a": "1"])
                return !unseen().isEmpty
            }
            #expect(unseen()[0].contains(path) && unseen()[0].contains("Mount the folder"), "\(unseen())")
            try #"{"a": 2}"#.write(toFile: own, atomically: false, encoding: .utf8)
            try await talk(process, ["flush": "flushed", "get a": "2"])
            #expect(process.logs.count == 1, "\(process.logs)")
        }
    }

    @Test("An encrypted file that is mounted by itself stays as it is, and the error says what to do")
    func mountedEncryptedFile() async throws {
        try await withTemporaryFolder { outer in
            let folder = outer + "/config", path = folder + "/secrets"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            let launcher = try await PrivateMount.launcher(at: folder, size: 256 << 10)
            let process = try processes.start("talk", folder + "/p.json", by: launcher)
            try await talk(
                process,
                [
                    "shell head -c 32 /dev/urandom >\(outer)/key && chmod 600 \(outer)/key": "0",
                    "write-secret \(path) \(outer)/key": "ok",
                    "shell cp -p \(path) \(outer)/own && mount --bind \(outer)/own \(path)": "0",
                ])
            let failure = try await process.ask("write-secret \(path) \(outer)/key")
            #expect(failure.contains(path) && failure.contains("EBUSY") && failure.contains("mount the folder"), "\(failure)")
            try await talk(
                process,
                [
                    "shell umount -l \(path) && cmp \(path) \(outer)/own": "0", "write-secret \(path) \(outer)/key": "ok",
                ])
        }
    }

    @Test("A folder that is removed while the program runs is created again by the next change")
    func removedFolder() async throws {
        try await withTemporaryFolder { outer in
            let folder = outer + "/config", path = folder + "/p.json"
            let process = try processes.start("talk", path)
            try await talk(process, ["set a 1": "ok"])
            // Otherwise the background sync may find the folder missing, and log that.
            try await talk(process, ["flush": "flushed"])
            try removeFolderInUse(folder)
            try await talk(process, ["set b 2": "ok"])
            #expect(try await stored(process, path)["b"] == 2)
            try await talk(process, ["flush": "flushed"])
            #expect(process.logs == [])
        }
    }

    @Test("A folder that is gone and cannot be made costs nothing that is set until it can")
    func goneFolder() async throws {
        try await withTemporaryFolder { outer in
            let parent = outer + "/config", path = parent + "/app/p.json"
            let process = try processes.start("talk", path)
            try await leaveRoot(process, outer)
            // Flushed, or the background sync may find the folder missing, and log that, too.
            try await talk(process, ["set first 1": "ok", "flush": "flushed"])
            try removeFolderInUse(parent + "/app")
            try await talk(process, ["shell chmod 555 \(parent)": "0"])
            try await talk(process, ["set a 1": "ok", "set b 2": "ok", "get a": "1"])
            let failure = try await process.ask("flush")
            #expect(failure.contains(parent + "/app") && failure.contains("EACCES"), "\(failure)")
            #expect(process.logs.count == 1, "\(process.logs)")
            try await talk(process, ["shell chmod 755 \(parent)": "0", "flush": "flushed"])
            let members = try await stored(process, path)
            #expect(members["a"] == 1 && members["b"] == 2)
        }
    }

    @Test("Without HOME values are kept in memory, one line is logged, and flush says what is missing")
    func noHome() async throws {
        let process = try processes.start("talk", "standard", environment: [:])
        try await talk(process, ["set a 1": "ok", "increase a": "ok", "get a": "2", "keys": "a"])
        #expect(try await process.ask("flush").contains("HOME"))
        #expect(process.logs.count == 1 && process.logs[0].contains("HOME"), "\(process.logs)")
    }

    @Test("A program without HOME that only reads logs that its changes would not be kept, once")
    func noHomeForReading() async throws {
        let process = try processes.start("talk", "standard", environment: [:])
        try await talk(process, ["get a": "0", "get b": "0"])
        #expect(process.logs.count == 1 && process.logs[0].contains("HOME"), "\(process.logs)")
    }

    @Test("A home that cannot be made is named by the log and by flush")
    func unmakeableHome() async throws {
        try await withTemporaryFolder { outer in
            let process = try processes.start("talk", "standard", environment: ["HOME": outer + "/home"])
            try await leaveRoot(process, outer)
            try await talk(process, ["shell chmod 555 \(outer)": "0", "set a 1": "ok", "set a 2": "ok", "get a": "2"])
            let failure = try await process.ask("flush")
            #expect(failure.contains(outer + "/home/.config/TestProcess/preferences.json") && failure.contains("EACCES"), "\(failure)")
            #expect(process.logs.count == 1, "\(process.logs)")
            try await talk(process, ["shell chmod 755 \(outer)": "0", "flush": "flushed"])
            #expect(try await stored(process, outer + "/home/.config/TestProcess/preferences.json") == ["a": 2])
        }
    }

    // MARK: Talking

    private func start(_ trouble: Trouble, _ outer: String, _ folder: String) async throws -> TestProcess {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let launcher = trouble.isMounted ? try await PrivateMount.launcher(at: folder, size: 256 << 10) : []
        let process = try processes.start("talk", folder + "/p.json", by: launcher)
        if trouble.isForOthersThanRoot { try await leaveRoot(process, outer) }
        return process
    }

    /// Lets the process go on as another user than root, to whom `folder` and what is in it belongs then.
    private func leaveRoot(_ process: TestProcess, _ folder: String) async throws {
        guard geteuid() == 0 else { return }
        try await talk(process, ["shell chown -R 65534:65534 \(folder)": "0", "become 65534": "ok"])
    }

    /// Says each line and expects each answer, in order.
    private func talk(
        _ process: TestProcess, _ lines: KeyValuePairs<String, String>, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for (line, expected) in lines {
            let answer = try await process.ask(line)
            #expect(answer == expected, "\(line)", sourceLocation: sourceLocation)
        }
    }

    /// What lies in the folder and is none of the library's own files, nor of the trouble.
    private func leftovers(_ process: TestProcess, _ folder: String) async throws -> Set<String> {
        var answer = try await process.ask("shell ls -A \(folder)").split(separator: " ").map(String.init)
        // Without descriptors it starts no shell.
        if answer == ["refused"] { answer = try ["0"] + FileManager.default.contentsOfDirectory(atPath: folder) }
        guard answer.first == "0" else { return [] }  // it may not be entered
        // The process may be copying the file in the background just now.
        return Set(answer.dropFirst()).subtracting(OwnNames.all.union(["filler", folder]))
    }

    /// The numbers in the file, as a program finds it that sees what the process sees.
    private func stored(_ process: TestProcess, _ path: String) async throws -> [String: Int] {
        let answer = try await process.ask("shell cat \(path)")
        let text = try #require(answer.hasPrefix("0 ") ? answer.dropFirst(2) : nil, "\(answer)")
        return try JSONDecoder().decode([String: Int].self, from: Data(text.utf8))
    }
}

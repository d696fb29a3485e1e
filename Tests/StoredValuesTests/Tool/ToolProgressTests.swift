import Foundation
import StoredValues
import StoredValuesToolSupport
import Testing

@testable import StoredValuesFiles

#if Store
    import GRDB
#endif

@Suite("What takes long says so on a terminal", .hangLimit)
struct ToolProgressTests {}

extension ToolProgressTests {
    /// What a terminal is sent while `body` speaks on it.
    private func shown(columns: Int = 60, after delay: Duration = .zero, _ body: (ProgressLine) -> Void) throws -> String {
        let (keyboard, screen) = try PseudoTerminal.open(columns: columns)
        body(ProgressLine(on: Output(screen.fileDescriptor), after: delay))
        try screen.write(contentsOf: Data("end".utf8))
        var bytes: [UInt8] = []
        while !bytes.suffix(3).elementsEqual("end".utf8) { bytes += keyboard.availableData }
        return String(decoding: bytes.dropLast(3), as: UTF8.self)
    }

    @Test("The line has a bar where the amount is known, and fits into the terminal", arguments: [80, 50, 30, 20, 8, 3])
    func line(width: Int) {
        let line = ProgressLine.line("Moving secrets", percent: 45, width: width)
        #expect(line.count < width && !line.isEmpty)
        if width >= 50 { #expect(line == "Moving secrets [#########-----------] 45 %") }
        if width == 20 { #expect(line == "45 %") }
        #expect(ProgressLine.line("Waiting for the cluster", percent: nil, width: width).count < width)
    }

    @Test("It is drawn again only where it changes, and is gone in the end")
    func changes() throws {
        let text = try shown { progress in
            progress.begin("Moving secrets")
            for done in [0, 0, 1, 500, 501, 1_000] { progress.advance(to: done, of: 1_000) }
            progress.end()
            progress.end()
            progress.advance(to: 1, of: 2)
        }
        let lines = text.split(separator: "\r", omittingEmptySubsequences: true).map(String.init)
        #expect(lines.count == 5, "\(lines)")
        #expect(lines.first == "Moving secrets …" && lines[2] == "Moving secrets [##########----------] 50 %" && lines[3].hasSuffix("] 100 %"))
        #expect(lines.last?.allSatisfy { $0 == " " } == true && lines.last?.count == lines[3].count)
        #expect(!text.contains("\n") && !text.contains("\u{1B}"))
    }

    @Test("What ends before the time is up says nothing")
    func short() throws {
        let text = try shown(after: .seconds(3_600)) { progress in
            progress.begin("Moving secrets")
            progress.advance(to: 1, of: 2)
            progress.end()
        }
        #expect(text == "")
    }

    @Test("Where nobody is at a terminal, nothing is said")
    func pipe() throws {
        let pipe = Pipe.forOneChild()
        let progress = ProgressLine(on: Output(pipe.fileHandleForWriting.fileDescriptor), after: .zero)
        progress.begin("Moving secrets")
        progress.advance(to: 1, of: 2)
        progress.end()
        try pipe.fileHandleForWriting.close()
        #expect(try pipe.fileHandleForReading.readToEnd() ?? Data() == Data())
    }

    /// The terminal of a command that has said that it waits, and has ended well. On a busy machine it may have waited for so long by then that it
    /// gave up; then again.
    private func waiting(_ start: () async throws -> PseudoTerminal) async throws -> PseudoTerminal {
        for _ in 0..<50 {
            let terminal = try await start()
            let status = try await terminal.end()
            if status == 75 { continue }
            #expect(status == 0, "\(terminal.text)")
            return terminal
        }
        throw NeverHappened(what: "the command ends well", limit: hangLimit)
    }

    @Test("A move of secrets that waits for another process says so, and what it says is gone when the move is done")
    func move() async throws {
        try await withTool { tool in
            #expect(try await tool.run("secret", "set", "token", input: TestSecret.text()).status == 0)
            let destination = "\(tool.folder)/new"
            let terminal = try await waiting {
                var lock: LockedFile? = try DurableFile(path: destination).lock(timeout: nil)
                let terminal = try tool.start("secret", "move", "--to", "file:\(destination)")
                try await terminal.waits(for: "Moving secrets [")
                _ = lock.take()
                return terminal
            }
            try await terminal.waits(for: "moved: token")
            #expect(!terminal.text.contains("\n\n"))
            #expect(terminal.lines.last?.hasSuffix("\rmoved: token") == true, "\(terminal.lines)")
        }
    }

    #if Store
        @Test("An import that waits for another process says so, and has stored all when what it says is gone")
        func store() async throws {
            try await withTool { tool in
                let line = #"{"store": "notes", "id": 1, "json": {}}"#
                #expect(try await tool.run("store", "import", input: line).status == 0)
                try tool.write(line.replacing("1", with: "2"), to: "\(tool.folder)/lines")
                var configuration = Configuration()
                configuration.allowsUnsafeTransactions = true  // which stay open when a call returns
                let database = try DatabaseQueue(path: "\(tool.folder)/.local/share/demo/store.sqlite", configuration: configuration)
                let terminal = try await waiting {
                    try await database.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
                    let terminal = try tool.start("store", "import", "\(tool.folder)/lines")
                    try await terminal.waits(for: "Storing 1 item …")
                    try await database.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
                    return terminal
                }
                try await terminal.waits(for: "\rImported: 1 item")
            }
        }
    #endif

    #if Fleet
        @Test("A cluster that does not answer is waited for, and that is said")
        func cluster() async throws {
            try await withTemporaryFolder { folder in
                let port = try LoopbackPort()
                let socket = try port.listen()  // who connects is never answered
                defer { close(socket) }
                let tool = try FleetTool(in: folder, endpoints: ["http://127.0.0.1:\(port.number)"])
                let terminal = try PseudoTerminal(tool.command(["list"]), environment: tool.environment)
                try await terminal.waits(for: "Waiting for the cluster …")
            }
        }
    #endif
}

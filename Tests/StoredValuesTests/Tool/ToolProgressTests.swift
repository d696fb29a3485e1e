import Foundation
import StoredValues
import StoredValuesToolSupport
import Testing

@testable import StoredValuesFiles

@Suite("What takes long says so on a terminal", .hangLimit)
struct ToolProgressTests {
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

    @Test("A move of secrets that waits for another process says so, and what it says is gone when the move is done", .needsEncryptedFile)
    func move() async throws {
        try await withTool { tool in
            #expect(try await tool.run("secret", "set", "token", input: TestSecret.text()).status == 0)
            let destination = "\(tool.folder)/new"
            var lock: LockedFile? = try DurableFile(path: destination).lock(timeout: nil)
            let terminal = try tool.start("secret", "move", "--to", "file:\(destination)")
            try await terminal.waits(for: "Moving secrets [")
            _ = lock.take()
            #expect(try await terminal.end() == 0, "\(terminal.text)")
            try await terminal.waits(for: "moved: token")
            #expect(!terminal.text.contains("\n\n"))
            #expect(terminal.lines.last?.hasSuffix("\rmoved: token") == true, "\(terminal.lines)")
        }
    }
}

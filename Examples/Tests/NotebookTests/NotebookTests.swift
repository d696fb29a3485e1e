import ExampleProcess
import Foundation
import Testing

/// The program as it runs: one process writes while another one watches.
@Suite(.timeLimit(.minutes(30)))
struct NotebookTests {
    let home: TemporaryHome

    init() throws {
        home = try TemporaryHome()
    }

    @Test("A second run has what the first one wrote, in the same order")
    func twice() async throws {
        let first = try await id(ofNew: "Buy milk"), second = try await id(ofNew: "Call Ada")
        #expect(try await notebook("list") == ["\(first)  Buy milk", "\(second)  Call Ada"])
        #expect(try await notebook("remove", first) == ["Removed: \(first)  Buy milk"])
        #expect(try await notebook("list") == ["\(second)  Call Ada"])
        let words = try await notebook("remove", first, status: 64).joined()
        #expect(words.contains("There is no note with the id \(first)."))
    }

    @Test("What other processes write and remove arrives while a process watches")
    func watch() async throws {
        let first = try await id(ofNew: "Buy milk")
        let watching = try ExampleProcess("Notebook", ["watch"], home: home.path)
        var lines = watching.lines.makeAsyncIterator()
        #expect(try await lines.next(containing: "Buy milk") == "+ \(first)  Buy milk")
        let second = try await id(ofNew: "Call Ada")
        #expect(try await lines.next(containing: "Call Ada") == "+ \(second)  Call Ada")
        _ = try await notebook("remove", first)
        #expect(try await lines.next(containing: "Buy milk") == "- \(first)  Buy milk")
    }

    @Test("Notes that cannot be read are not taken for none, and are not written over")
    func damaged() async throws {
        let text = "Not a database, but something that is long enough to be one: a header takes a hundred bytes, and so does this."
        try home.write(text, to: file)
        for command in [["list"], ["add", "Buy milk"], ["watch"]] {
            let words = try await notebook(command, status: 1).joined()
            #expect(words.contains("\(home.path)/\(file)") && words.contains("is damaged, or no database"), "\(words)")
        }
        #expect(home.text(of: file) == text)
    }

    @Test("A note that cannot be read is listed with the reason, and can be removed")
    func unreadable() async throws {
        let id = try await id(ofNew: "Buy milk")
        let path = URL(fileURLWithPath: "\(home.path)/\(file)")
        var database = try Data(contentsOf: path)
        let member = try #require(database.range(of: Data(#""text""#.utf8)))
        database.replaceSubrange(member, with: Data(#""tent""#.utf8))
        try database.write(to: path)
        let list = try await notebook("list")
        #expect(list.contains { $0.hasPrefix("\"\(id)\"  cannot be read: ") }, "\(list)")
        #expect(try await notebook("remove", id).last == "Removed a note that could not be read: \(id)")
        #expect(try await notebook("list") == [])
        let words = try await notebook("remove", id, status: 64).joined()
        #expect(words.contains("There is no note with the id \(id)."))
    }

    // MARK: The program

    private let file = ".local/share/com.example.Notebook/store.sqlite"

    private func id(ofNew text: String) async throws -> String { try #require(try await notebook("add", text).first) }

    private func notebook(_ arguments: String..., status: Int32 = 0) async throws -> [String] {
        try await notebook(arguments, status: status)
    }

    private func notebook(_ arguments: [String], status: Int32) async throws -> [String] {
        let process = try ExampleProcess("Notebook", arguments, home: home.path)
        let lines = await process.allLines
        #expect(await process.exitStatus == status, "\(lines)")
        return lines
    }
}

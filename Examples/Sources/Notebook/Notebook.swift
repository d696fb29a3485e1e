import ArgumentParser
import Foundation
import StoredValuesStore

struct Notebook: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write notes, read them, and watch what other processes write.",
        subcommands: [Add.self, List.self, Remove.self, Watch.self])
}

struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Write a note. It is on the disk when its id is printed.")

    @Argument(help: "What to note.")
    var text: String

    func run() async throws {
        let note = Note(text)
        try await Store.notes.insert(note)
        print(note.id)
    }
}

struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the notes, the first one first.")

    func run() async throws {
        try await Store.notes.itemsHaveLoaded()  // not readable is not the same as empty
        for note in Store.notes.items { print(note) }
        for row in Store.notes.unreadable { print("\(row.id)  cannot be read: \(row.reason)") }
    }
}

struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Remove a note.")

    @Argument(help: "The note's id, as list prints it.")
    var id: String

    func run() async throws {
        let isUnreadable = Store.notes.unreadable.contains { $0.id == "\"\(id)\"" }  // where ids are in JSON
        // One call, so that only one of two processes says that it removed it.
        if let note = try await Store.notes.remove(id: id) {
            print("Removed: \(note)")
        } else if isUnreadable {
            print("Removed a note that could not be read: \(id)")
        } else {
            throw ValidationError("There is no note with the id \(id).")
        }
    }
}

struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the notes, then what is written and removed, whoever does it. Ctrl-C ends it.")

    func run() async throws {
        try await Store.notes.itemsHaveLoaded()
        for await event in Store.notes.events where event.operation != .initialized {
            for note in event.items { print(event.operation == .remove ? "-" : "+", note) }
            fflush(nil)
        }
    }
}

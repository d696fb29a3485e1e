import Foundation
import StoredValues

/// Reading and setting a list of 10,000 structs: what the coding takes.
func listTasks(in temporary: TemporaryFolder) throws -> [Comparison] {
    let lists = [Visit.list(from: 0), Visit.list(from: 1)]
    let files = try (0..<16).map { BareFile(folder: try temporary.folder("list-\($0)"), name: "preferences.json") }
    let value = StoredValue(key: "visits", default: [Visit](), storage: files[0].preferences)
    value.set(lists[0])
    let text = try files[0].read()
    // This process may still have open what it opened a moment ago.
    for file in files.dropFirst() { try file.replace(with: text, durably: false) }
    let theirs = BareFile(folder: try temporary.folder("list-json"), name: "list.json")
    try encoded(lists[0]).write(to: URL(filePath: theirs.path))
    let numbers = Numbers()
    return [
        Comparison(
            task: "Read a list of 10,000 structs from a file",
            ours: .timed("ours") { count in
                for _ in 0..<count {
                    let file = files[1 + numbers.next % (files.count - 1)]
                    let visits = StoredValue(key: "visits", default: [Visit](), storage: file.preferences).wrappedValue
                    guard visits.count == lists[0].count else { throw Failure(description: "the list was not read") }
                }
            },
            peers: [
                .init(
                    .timed("`JSONDecoder` with `.iso8601`") { count in
                        let decoder = JSONDecoder()
                        decoder.dateDecodingStrategy = .iso8601
                        for _ in 0..<count {
                            let visits = try decoder.decode([Visit].self, from: Data(theirs.read()))
                            guard visits.count == lists[0].count else { throw Failure(description: "the list was not read") }
                        }
                    }, bar: 0.7)
            ]),
        Comparison(
            task: "`set` a list of 10,000 structs",
            ours: Contestant.timed("ours") { count in for _ in 0..<count { value.set(lists[numbers.next % 2]) } }.leavingWork,
            peers: [
                .init(
                    .timed("`JSONEncoder` with `.iso8601`, an atomic write") { count in
                        for _ in 0..<count {
                            try encoded(lists[numbers.next % 2]).write(to: URL(filePath: theirs.path), options: .atomic)
                        }
                    }, bar: 1)
            ]),
    ]
}

private func encoded(_ list: [Visit]) throws -> Data {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    return try encoder.encode(list)
}

/// A struct of a number, a text, a date, a list and a struct.
struct Visit: Codable, Identifiable, Sendable, Equatable {
    struct Address: Codable, Sendable, Equatable {
        let street: String
        let city: String
        let number: Int
    }

    let id: Int
    let name: String
    let date: Date
    let address: Address
    let tags: [String]

    /// The same with another name.
    func named(_ name: String) -> Visit { Visit(id: id, name: name, date: date, address: address, tags: tags) }

    static func list(from start: Int, count: Int = 10_000) -> [Visit] {
        (start..<(start + count)).map { id in
            Visit(
                id: id, name: "Visitor number \(id)", date: Date(timeIntervalSinceReferenceDate: Double(id) * 86_467),
                address: Address(street: "Main Street", city: "Springfield", number: id % 100), tags: ["new", "tag \(id)"])
        }
    }
}

import Foundation
import StoredValues

// Today's types of the values in the corpus of repairs.

struct Settings: Codable, Equatable, Sendable {
    var size = 12
    var name = "Mono"
    var wraps = true
}

struct Renamed: Codable, Equatable, Sendable {
    var fontSize = 12
    enum CodingKeys: String, CodingKey { case fontSize = "size" }
}

struct Accented: Codable, Equatable, Sendable {
    var size = 12
    var note = ""
    enum CodingKeys: String, CodingKey {
        case size = "gr\u{F6}\u{DF}e"
        case note
    }
}

struct Numbered: Codable, Equatable, Sendable {
    var size = 12
    var name = "Mono"
    enum CodingKeys: Int, CodingKey { case size, name }
}

struct Loose: Codable, Equatable, Sendable {
    var size: Int? = 12
    var note: String?
}

struct Frame: Codable, Equatable, Sendable {
    var x = 0, y = 0
}

struct Window: Codable, Equatable, Sendable {
    var frame = Frame(x: 1, y: 2)
    var previous: Frame?
    var title = "Main"
}

struct Person: Codable, Equatable, Sendable {
    var name: String
    var nick: String?
}

struct Look: Codable, Equatable, Sendable {
    var theme = Theme.light
    var size = 12
}

struct Small: Codable, Equatable, Sendable {
    var byte: Int8 = 1
    var count: UInt = 2
    var isOn = false
    var ratio = 0.5
}

struct Foreign: Codable, Equatable, Sendable {
    var date: Date? = Date(timeIntervalSinceReferenceDate: 0)
    var home = URL(filePath: "/home")
    var icon = Data([1])
    var id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    var price = Decimal(1)
}

enum Shape: Codable, Equatable, Sendable {
    case dot
    case circle(radius: Int)
    case box(width: Int, height: Int)
}

struct Drawing: Codable, Equatable, Sendable {
    var shape = Shape.box(width: 1, height: 2)
    var title = "Plan"
}

struct Node: Codable, Equatable, Sendable {
    var value: Int
    var children: [Node] = []
}

indirect enum Chain: Codable, Equatable, Sendable {
    case end
    case link(Int, Chain)
}

/// A text such as `8x6`, with an error of its own.
struct Grid: Codable, Equatable, Sendable {
    struct NotAGrid: Error {}
    var columns = 8, rows = 6
    init(columns: Int = 8, rows: Int = 6) { (self.columns, self.rows) = (columns, rows) }
    init(from decoder: any Decoder) throws {
        let numbers = try decoder.singleValueContainer().decode(String.self).split(separator: "x").compactMap { Int($0) }
        guard numbers.count == 2 else { throw NotAGrid() }
        (columns, rows) = (numbers[0], numbers[1])
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode("\(columns)x\(rows)")
    }
}

struct Board: Codable, Equatable, Sendable {
    var grid = Grid()
    var title = "Chess"
}

/// Names no path in its decoding error.
struct Careless: Codable, Equatable, Sendable {
    var number = 1
    init(number: Int = 1) { self.number = number }
    init(from decoder: any Decoder) throws {
        number = try decoder.singleValueContainer().decode(Int.self)
        guard number < 10 else { throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "too large")) }
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }
}

struct Careful: Codable, Equatable, Sendable {
    var careless = Careless()
    var title = "Title"
}

/// Has an answer of its own to a bad `grid`, but none to a missing `title`.
struct Forgiving: Codable, Equatable, Sendable {
    var grid = Grid()
    var title = "Chess"
    init(grid: Grid = Grid(), title: String = "Chess") { (self.grid, self.title) = (grid, title) }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        title = try container.decode(String.self, forKey: .title)
        grid = (try? container.decode(Grid.self, forKey: .grid)) ?? Grid(columns: 0, rows: 0)
    }
}

enum Ground: String, Codable, CodingKeyRepresentable, Sendable { case light, dark }

/// Members inside members, without types of their own.
struct Nested: Codable, Equatable, Sendable {
    var host = "localhost"
    var port = 80
    var tags: [String] = []
    enum Keys: CodingKey { case server, tags }
    enum ServerKeys: CodingKey { case host, port }
    init(host: String = "localhost", port: Int = 80, tags: [String] = []) { (self.host, self.port, self.tags) = (host, port, tags) }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        let server = try container.nestedContainer(keyedBy: ServerKeys.self, forKey: .server)
        host = try server.decode(String.self, forKey: .host)
        port = try server.decodeIfPresent(Int.self, forKey: .port) ?? 443
        var list = try container.nestedUnkeyedContainer(forKey: .tags)
        while !list.isAtEnd { tags.append(try list.decode(String.self)) }
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        var server = container.nestedContainer(keyedBy: ServerKeys.self, forKey: .server)
        try server.encode(host, forKey: .host)
        try server.encode(port, forKey: .port)
        var list = container.nestedUnkeyedContainer(forKey: .tags)
        for tag in tags { try list.encode(tag) }
    }
}

struct HexColor: RawRepresentable, Codable, Equatable, Sendable {
    var rawValue: String
    init?(rawValue: String) {
        guard rawValue.hasPrefix("#") else { return nil }
        self.rawValue = rawValue
    }
    static let black = HexColor(rawValue: "#000")!  // begins with a #
}

struct Palette: Codable, Equatable, Sendable {
    var ink = HexColor.black
    var paper = HexColor.black
}

/// Three numbers by position, the last of them optional.
struct Position: Codable, Equatable, Sendable {
    var x = 1, y = 2
    var z: Int?
    init(x: Int = 1, y: Int = 2, z: Int? = nil) { (self.x, self.y, self.z) = (x, y, z) }
    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        x = try container.decode(Int.self)
        y = try container.decode(Int.self)
        z = try container.decodeIfPresent(Int.self)
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(x)
        try container.encode(y)
        if let z { try container.encode(z) }
    }
}

struct Route: Codable, Equatable, Sendable {
    var start = Position()
    var stops: [Position] = []
    var hours = 9..<17
    var scale = SIMD2(1.0, 2.0)
}

/// A key that is no text and no number, so that dictionaries are lists of keys and values in turn.
struct Cell: Codable, Hashable, Sendable {
    var row: Int
}

class Animal: Codable, @unchecked Sendable {  // never changed after init
    let legs: Int
    init(legs: Int) { self.legs = legs }
}

final class Bird: Animal, Equatable, @unchecked Sendable {  // never changed after init
    let wings: Int
    enum Key: CodingKey { case wings }
    init(legs: Int, wings: Int) {
        self.wings = wings
        super.init(legs: legs)
    }
    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        wings = try container.decode(Int.self, forKey: .wings)
        try super.init(from: container.superDecoder())
    }
    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(wings, forKey: .wings)
        try super.encode(to: container.superEncoder())
    }
    static func == (left: Bird, right: Bird) -> Bool { (left.legs, left.wings) == (right.legs, right.wings) }
}

/// Version 0 had `points: "14 pt"`, version 1 `fontSize: 14`.
struct Font: VersionedItem, Equatable {
    struct NoSize: Error {}
    static let version = 2
    var size = 12
    var name = "Mono"

    static func migrate(_ json: inout JSONValue, from version: Int) throws {
        switch version {
        case 0:
            guard let size = json["points"]?.stringValue?.split(separator: " ").first.flatMap({ Int($0) }) else { throw NoSize() }
            json["points"] = nil
            json["fontSize"] = JSONValue(size)
        default:
            if json["name"] == "Broken" { throw NoSize() }
            json.rename("fontSize", to: "size")
        }
    }
}

/// More members than may be broken, all of them needed.
struct Many: Codable, Equatable {
    private static let names = (0..<120).map { "m\($0)" }
    private var numbers: [String: Int]

    init(_ numbers: [String: Int] = [:]) {
        self.numbers = Dictionary(uniqueKeysWithValues: Self.names.map { ($0, 1) }).merging(numbers) { $1 }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Name.self)
        numbers = [:]
        for name in Self.names { numbers[name] = try container.decode(Int.self, forKey: Name(stringValue: name)) }
    }

    func encode(to encoder: any Encoder) throws { try numbers.encode(to: encoder) }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

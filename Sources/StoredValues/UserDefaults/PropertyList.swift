import FoundationEssentials
import StoredValuesFiles

/// A property list, or a value in one: of any shape. ``ItemEncoder`` encodes it as the JSON that a stored value of its Swift type has:
/// a date as ISO 8601 text, data as base64.
struct PropertyList: Codable {
    let value: any Encodable

    /// The property list in `bytes`, binary or XML.
    init(parsing bytes: [UInt8]) throws {
        try Self.check(bytes)
        self = try PropertyListDecoder().decode(PropertyList.self, from: Data(bytes))
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        func value<Value: Codable>(_ type: Value.Type) -> (any Encodable)? { try? container.decode(type) }
        // The decoder confuses none of these types, except that it decodes an integer as a real number, which therefore comes
        // last.
        let scalar =
            value(Bool.self) ?? value(Date.self) ?? value(Data.self) ?? value(String.self) ?? value(Int64.self) ?? value(UInt64.self)
            ?? value(Double.self)
        self.value = try scalar ?? value([PropertyList].self) ?? container.decode([String: PropertyList].self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

// What becomes of it.
extension PropertyList {
    /// A value to store and its original form, or why it cannot be stored.
    enum Reading {
        case success(JSONValue, UserDefaultsImport.Form)
        case failure(UserDefaultsImport.Reason)

        fileprivate init(_ json: JSONValue, _ form: UserDefaultsImport.Form) {
            self = PreferencesDocument.canRead(json.text()) ? .success(json, form) : .failure(.tooDeep)
        }

        fileprivate init(_ list: PropertyList, _ form: UserDefaultsImport.Form) {
            // Only its depth can prevent a property list from being encoded.
            if let json = try? ItemEncoder.encode(list) { self.init(json, form) } else { self = .failure(.tooDeep) }
        }
    }

    /// The JSON that the value becomes.
    var reading: Reading {
        guard let data = value as? Data else { return Reading(self, .plain) }
        let bytes = Array(data)
        if let json = try? JSONValue(parsing: bytes) {
            guard case .object(let members) = json, members.count == 1, let content = members["value"] else { return Reading(json, .json) }
            return Reading(content, .boxedJSON)
        }
        let isList = ["bplist", "<?xml"].contains { bytes.starts(with: $0.utf8) }
        guard isList, let list = try? PropertyList(parsing: bytes) else { return Reading(self, .data) }
        if let members = list.value as? [String: PropertyList], members["$archiver"] != nil { return .failure(.archivedObject) }
        return Reading(list, .propertyList)
    }
}

// What Foundation must not be given: it crashes if lists are nested too deep, and takes practically for ever if they contain each
// other many times. Values are found exactly as it finds them; what the two could interpret differently is refused.
extension PropertyList {
    struct Problem: Error {
        /// What is wrong with the property list, and what to do.
        let description: String

        static let tooDeep = Problem(description: "It is nested deeper than \(JSONValue.maximumDepth) levels. Correct it, or move it away.")
        static let tooLarge = Problem(
            description: """
                It holds more than \(maximumCount) values, or its lists and strings are referenced so often that it is far larger than the \
                file. Correct it, or move it away.
                """)
        static let damaged = Problem(description: "It is not a property list of keys and values. Correct it, or move it away.")
    }

    /// The maximum number of values in a binary list. Each takes Foundation some 60 µs, for each reference to it.
    fileprivate static let maximumCount = 200_000

    /// Throws if `bytes` must not be passed to Foundation; if it returns, they still may not be a property list.
    private static func check(_ bytes: [UInt8]) throws(Problem) {
        guard bytes.starts(with: "bplist".utf8) else { return try checkXML(bytes[...]) }
        guard var list = BinaryPropertyList(bytes) else { throw .damaged }
        try list.visit(list.top)
    }

    /// How each kind of markup begins and ends, the first that fits, and by how many levels it goes deeper.
    private static let markup: [(start: String, end: String, levels: Int)] = [
        ("<!--", "-->", 0), ("<![CDATA[", "]]>", 0), ("<?", "?>", 0), ("<!", ">", 0), ("</", ">", -1), ("<", ">", 1),
    ]

    /// XML. Anything else that is not binary is refused by Foundation on Linux without parsing.
    private static func checkXML(_ bytes: ArraySlice<UInt8>) throws(Problem) {
        // In UTF-16 and UTF-32, which Foundation reads too, every < has a zero byte beside it.
        guard !bytes.contains(0) else { throw .damaged }
        var rest = bytes, depth = 0
        while let next = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[next...]
            // Foundation skips it inside of lists, but treats it as a start tag before them.
            if rest.starts(with: "<?>".utf8) { throw .damaged }
            guard let (start, end, levels) = markup.first(where: { [rest] in rest.starts(with: $0.start.utf8) }) else { return }
            rest = rest.dropFirst(start.utf8.count)
            while !rest.isEmpty, !rest.starts(with: end.utf8) { rest = rest.dropFirst() }
            if levels < 0 || bytes[rest.startIndex - 1] != UInt8(ascii: "/") { depth += levels }
            // <plist> encloses the lists, and one value is inside them.
            guard depth <= JSONValue.maximumDepth + 2 else { throw .tooDeep }
        }
    }
}

/// The objects of a binary property list. Each is written once, and lists refer to it by number, any number of times.
private struct BinaryPropertyList {
    /// The number of the root object.
    let top: Int
    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let count: Int
    private let table: Int
    private var valuesLeft: Int

    init?(_ bytes: [UInt8]) {
        self.bytes = bytes
        guard bytes.count >= 40 else { return nil }
        let trailer = bytes.count - 32
        (offsetSize, referenceSize) = (Int(bytes[trailer + 6]), Int(bytes[trailer + 7]))
        // Without shared values, there are fewer values than bytes. Some programs write equal values once.
        valuesLeft = min(20_000 + bytes.count, PropertyList.maximumCount)
        func number(at position: Int) -> Int { bytes[position..<(position + 8)].reduce(0) { $0 << 8 | Int($1) } }
        (count, top, table) = (number(at: trailer + 8), number(at: trailer + 16), number(at: trailer + 24))
        guard (0..<bytes.count).contains(count), (0..<trailer).contains(table) else { return nil }
    }

    /// Counts the object and everything in it, as often as it is referred to.
    mutating func visit(_ object: Int, depth: Int = 0) throws(PropertyList.Problem) {
        guard (0..<count).contains(object) else { throw .damaged }
        var position = try number(at: table + object * offsetSize, size: offsetSize)
        guard position < table else { throw .damaged }
        let marker = bytes[position]
        position += 1
        // Characters, elements or pairs.
        let size = [0x4, 0x5, 0x6, 0xA, 0xC, 0xD].contains(marker >> 4) ? try readCount(marker & 0xF, &position) : 0
        var references = 0
        switch marker >> 4 {
        case 0x0, 0x2, 0x3, 0x4, 0x5, 0x6, 0x8: break
        case 0x1:
            // Of a 16-byte number Foundation reads the lower half.
            if marker == 0x14 { guard try number(at: position, size: 8) == 0 else { throw .damaged } }
        case 0xA, 0xC: references = size
        case 0xD: references = 2 * size
        default: throw .damaged
        }
        // Long text counts as several.
        valuesLeft -= 1 + (references == 0 ? size / 512 : 0)
        guard valuesLeft >= 0 else { throw .tooLarge }
        guard references == 0 || depth < JSONValue.maximumDepth else { throw .tooDeep }
        for index in 0..<references { try visit(number(at: position + index * referenceSize, size: referenceSize), depth: depth + 1) }
    }

    /// How many elements, pairs or characters an object has, which its marker says or a number after it; at most the number of bytes.
    private func readCount(_ short: UInt8, _ position: inout Int) throws(PropertyList.Problem) -> Int {
        guard short == 0xF else { return Int(short) }
        guard position < table, bytes[position] & 0xFC == 0x10 else { throw .damaged }
        let size = 1 << Int(bytes[position] & 0x3)
        let count = try number(at: position + 1, size: size)
        guard count <= bytes.count else { throw .damaged }
        position += 1 + size
        return count
    }

    /// The number in `size` bytes inside the list.
    private func number(at position: Int, size: Int) throws(PropertyList.Problem) -> Int {
        guard (1...8).contains(size), position >= 0, position + size <= bytes.count else { throw .damaged }
        let number = bytes[position..<(position + size)].reduce(0 as UInt) { $0 << 8 | UInt($1) }
        guard number <= UInt(Int.max) else { throw .damaged }
        return Int(number)
    }
}

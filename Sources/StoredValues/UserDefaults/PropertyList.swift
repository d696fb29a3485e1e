import FoundationEssentials
import StoredValuesSupport

/// A property list, or a value in one: of any shape. ``ItemEncoder`` encodes it as the JSON that a stored value of its Swift type has:
/// a date as ISO 8601 text, data as base64.
struct PropertyList: Codable {
    let value: any Encodable

    /// The property list in `bytes`, binary or XML.
    init(parsing bytes: [UInt8]) throws(Problem) {
        try Self.check(bytes)
        let limits = Limits(fileSize: bytes.count), decoder = PropertyListDecoder()
        decoder.userInfo[Limits.key] = limits
        do { self = try decoder.decode(PropertyList.self, from: Data(bytes)) } catch { throw limits.problem ?? .damaged }
    }

    init(from decoder: any Decoder) throws {
        let limits = decoder.userInfo[Limits.key] as? Limits
        try limits?.count(1, depth: decoder.codingPath.count)
        let container = try decoder.singleValueContainer()
        // Foundation writes a nil as the text "$null", which it does not read back as text.
        guard !container.decodeNil() else {
            self.value = Bool?.none
            return
        }
        func value<Value: Codable>(_ type: Value.Type) -> (any Encodable)? { try? container.decode(type) }
        let group = value([PropertyList].self) ?? value([String: PropertyList].self)
        try limits?.count(0)  // no other type needs to be tried if that was too much
        // The decoder distinguishes all of these types, except that it decodes an integer also as a real number, which is therefore the last.
        let scalar = value(String.self) ?? value(Bool.self) ?? value(Data.self) ?? value(Date.self) ?? value(Int64.self) ?? value(UInt64.self)
        self.value = try group ?? scalar ?? container.decode(Double.self)
        // Long text counts as several values, and so does a long key.
        let size =
            switch self.value {
            case let text as String: text.utf8.count
            case let data as Data: data.count
            case let members as [String: PropertyList]: members.keys.reduce(0) { $0 + $1.utf8.count }
            default: 0
            }
        try limits?.count(size / 512)
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
    }

    /// The JSON that the value becomes.
    var reading: Reading {
        func reading(_ json: JSONValue?, _ form: UserDefaultsImport.Form) -> Reading {
            // Only its depth can prevent a property list from being encoded.
            guard let json, !json.isDeeper(than: JSONValue.maximumDepth - 1) else { return .failure(.tooDeep) }
            return .success(json, form)
        }
        guard let data = value as? Data else { return reading(try? ItemEncoder.encode(self), .plain) }
        let bytes = Array(data)
        if let json = try? JSONValue(parsing: bytes) {
            guard case .object(let members) = json, members.count == 1, let content = members["value"] else { return reading(json, .json) }
            return reading(content, .boxedJSON)
        }
        let isList = ["bplist", "<?xml"].contains { bytes.starts(with: $0.utf8) }
        if isList, Self.isArchive(bytes) { return .failure(.archivedObject) }
        guard isList, let list = try? PropertyList(parsing: bytes) else { return reading(try? ItemEncoder.encode(self), .data) }
        return reading(try? ItemEncoder.encode(list), .propertyList)
    }
}

extension PropertyList {
    private struct Archive: Decodable {
        enum CodingKeys: String, CodingKey { case archiver = "$archiver" }
        let archiver: String
    }

    /// Whether it is an archive of objects. Its references to objects have a type of their own, which no `Decodable` reads.
    private static func isArchive(_ bytes: [UInt8]) -> Bool {
        (try? check(bytes)) != nil && (try? PropertyListDecoder().decode(Archive.self, from: Data(bytes))) != nil
    }
}

// Foundation crashes on lists that are nested too deep, and practically never ends if lists contain each other many times.
extension PropertyList {
    struct Problem: Error, CustomStringConvertible {
        /// What is wrong with the property list, and what to do.
        let description: String

        static let tooDeep = Problem(description: "It is nested deeper than \(JSONValue.maximumDepth) levels. Correct it, or move it away.")
        static let tooLarge = Problem(
            description: """
                It holds more than \(Limits.maximumCount) values, or its lists and strings are referenced so often that it is far larger \
                than the file. Correct it, or move it away.
                """)
        static let damaged = Problem(description: "It is not a property list of keys and values. Correct it, or move it away.")
    }

    /// Counts the values while they are decoded: a binary list holds each once, and may refer to it any number of times.
    private final class Limits: Sendable {
        static let key = CodingUserInfoKey(rawValue: "limits")!  // never nil
        static let maximumCount = 50_000

        private let state: Guarded<(valuesLeft: Int, problem: Problem?)>
        var problem: Problem? { state.withLock { $0.problem } }

        /// Without shared values, there are fewer values than bytes. Some programs write equal values once.
        init(fileSize: Int) { state = Guarded((min(20_000 + fileSize, Self.maximumCount), nil)) }

        /// Counts `values` at this depth. Once it has thrown, it keeps throwing the same, because the decoder tries one type after another.
        func count(_ values: Int, depth: Int = 0) throws(Problem) {
            try state.withLock { state throws(Problem) in
                state.valuesLeft -= values
                state.problem = state.problem ?? (depth > JSONValue.maximumDepth ? .tooDeep : state.valuesLeft < 0 ? .tooLarge : nil)
                if let problem = state.problem { throw problem }
            }
        }
    }

    /// Throws if Foundation's parser must not see the property list.
    private static func check(_ bytes: [UInt8]) throws(Problem) {
        if bytes.starts(with: "bplist".utf8) { try checkBinary(bytes) } else { try checkXML(bytes[...]) }
    }

    /// Throws if a binary list has an integer of more than 64 bits, of which Foundation reads the lower half. The end of the file says
    /// where the table of all objects is.
    private static func checkBinary(_ bytes: [UInt8]) throws(Problem) {
        func number(at position: Int, size: Int) -> Int? {
            guard (1...8).contains(size), position >= 0, position <= bytes.count - size else { return nil }
            return Int(exactly: bytes[position..<(position + size)].reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
        }
        let end = bytes.count - 32
        guard end >= 8, let count = number(at: end + 8, size: 8), let table = number(at: end + 24, size: 8), count <= bytes.count, table < end
        else { throw .damaged }
        let size = Int(bytes[end + 6])
        for object in 0..<count {
            guard let place = number(at: table + object * size, size: size), place < table else { throw .damaged }
            if bytes[place] == 0x14, number(at: place + 1, size: 8) != 0 { throw .damaged }
        }
    }

    /// How each kind of markup begins and ends, the first that fits, and by how many levels it goes deeper.
    private static let markup: [(start: String, end: String, levels: Int)] = [
        ("<!--", "-->", 0), ("<![CDATA[", "]]>", 0), ("<?", "?>", 0), ("<!", ">", 0), ("</", ">", -1), ("<", ">", 1),
    ]

    /// Throws if the XML in `bytes` is nested too deep for Foundation's scanner, which recurses, or if the two could understand it
    /// differently. Anything else that is not binary is refused by Foundation on Linux without parsing.
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

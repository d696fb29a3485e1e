import StoredValuesFiles

/// Checks a property list before Foundation reads it: Foundation crashes if lists are nested too deep, and takes practically
/// for ever if they contain each other many times.
///
/// It finds values exactly as Foundation does, and refuses what the two could interpret differently.
enum PropertyListCheck {
    enum Problem: Error, CustomStringConvertible {
        case tooDeep, tooLarge, damaged

        /// What is wrong with the property list, and what to do.
        var description: String {
            switch self {
            case .tooDeep: "It is nested deeper than \(JSONValue.maximumDepth) levels. Correct it, or move it away."
            case .tooLarge:
                """
                It holds more than \(PropertyListCheck.maximumCount) values, or its lists and strings are referenced so often that it is \
                far larger than the file. Correct it, or move it away.
                """
            case .damaged: "It is not a property list of keys and values. Correct it, or move it away."
            }
        }
    }

    /// The maximum number of values in a binary list. Each takes Foundation some 60 µs, for each reference to it.
    fileprivate static let maximumCount = 200_000

    /// Throws if `bytes` must not be passed to Foundation; if it returns, they still may not be a property list.
    static func check(_ bytes: [UInt8]) throws(Problem) {
        guard bytes.starts(with: "bplist".utf8) else { return try checkText(bytes) }
        guard var list = BinaryPropertyList(bytes) else { throw .damaged }
        try list.visit(list.top)
    }

    /// XML. Anything else that is not binary is refused by Foundation on Linux without parsing.
    private static func checkText(_ bytes: [UInt8]) throws(Problem) {
        // In UTF-16 and UTF-32, which Foundation reads too, every < has a zero byte beside it.
        guard !bytes.contains(0) else { throw .damaged }
        var rest = bytes[...]
        var depth = 0
        func skip(_ offset: Int, to end: String) {
            rest = rest.dropFirst(offset)
            while let next = rest.firstIndex(where: { $0 == end.utf8.first }) {
                rest = rest[next...]
                if rest.starts(with: end.utf8) { return rest = rest.dropFirst(end.utf8.count) }
                rest = rest.dropFirst()
            }
            rest = rest.suffix(0)
        }
        while let next = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[next...]
            if rest.starts(with: "<!--".utf8) {
                skip(4, to: "-->")
            } else if rest.starts(with: "<![CDATA[".utf8) {
                skip(9, to: "]]>")
            } else if rest.starts(with: "<?>".utf8) {
                throw .damaged  // Foundation skips it inside of lists, but treats it as a start tag before them
            } else if rest.starts(with: "<?".utf8) {
                skip(2, to: "?>")
            } else if rest.starts(with: "</".utf8) {
                depth -= 1
                skip(2, to: ">")
            } else if rest.starts(with: "<!".utf8) {
                skip(2, to: ">")
            } else {
                skip(1, to: ">")
                if bytes[max(0, rest.startIndex - 2)] != UInt8(ascii: "/") { depth += 1 }
                // <plist> encloses the lists, and one value is inside them.
                guard depth <= JSONValue.maximumDepth + 2 else { throw .tooDeep }
            }
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
    private var textLeft = DurableFile.sizeLimit

    init?(_ bytes: [UInt8]) {
        self.bytes = bytes
        guard bytes.count >= 40 else { return nil }
        let trailer = bytes.count - 32
        (offsetSize, referenceSize) = (Int(bytes[trailer + 6]), Int(bytes[trailer + 7]))
        // Without shared values, there are fewer values than bytes. Some programs write equal values once.
        valuesLeft = min(max(20_000, bytes.count), PropertyListCheck.maximumCount)
        func number(at position: Int) -> Int { bytes[position..<(position + 8)].reduce(0) { $0 << 8 | Int($1) } }
        (count, top, table) = (number(at: trailer + 8), number(at: trailer + 16), number(at: trailer + 24))
        guard (0..<bytes.count).contains(count), (0..<trailer).contains(table) else { return nil }
    }

    /// Counts the object and everything in it.
    mutating func visit(_ object: Int, depth: Int = 0) throws(PropertyListCheck.Problem) {
        valuesLeft -= 1
        guard valuesLeft >= 0 else { throw .tooLarge }
        guard (0..<count).contains(object) else { throw .damaged }
        var position = try number(at: table + object * offsetSize, size: offsetSize)
        guard position < table else { throw .damaged }
        let marker = bytes[position]
        position += 1
        switch marker >> 4 {
        case 0x0, 0x2, 0x3, 0x8: break
        case 0x1:
            // Of a 16-byte number Foundation reads the lower half.
            if marker == 0x14 { guard try number(at: position, size: 8) == 0 else { throw .damaged } }
        case 0x4, 0x5: try countText(readCount(marker, &position))
        case 0x6: try countText(2 * readCount(marker, &position))
        case 0xA, 0xC: try visitReferences(readCount(marker, &position), at: position, depth: depth)
        case 0xD: try visitReferences(2 * readCount(marker, &position), at: position, depth: depth)
        default: throw .damaged
        }
    }

    private mutating func visitReferences(_ count: Int, at position: Int, depth: Int) throws(PropertyListCheck.Problem) {
        guard depth < JSONValue.maximumDepth else { throw .tooDeep }
        for index in 0..<count { try visit(number(at: position + index * referenceSize, size: referenceSize), depth: depth + 1) }
    }

    private mutating func countText(_ count: Int) throws(PropertyListCheck.Problem) {
        textLeft -= count
        guard textLeft >= 0 else { throw .tooLarge }
    }

    /// How many elements, pairs or characters an object has; at most the number of bytes.
    private func readCount(_ marker: UInt8, _ position: inout Int) throws(PropertyListCheck.Problem) -> Int {
        guard marker & 0xF == 0xF else { return Int(marker & 0xF) }
        guard position < table, bytes[position] >> 4 == 0x1, bytes[position] & 0xF <= 3 else { throw .damaged }
        let size = 1 << Int(bytes[position] & 0xF)
        let count = try number(at: position + 1, size: size)
        guard count <= bytes.count else { throw .damaged }
        position += 1 + size
        return count
    }

    /// The number in `size` bytes inside the list.
    private func number(at position: Int, size: Int) throws(PropertyListCheck.Problem) -> Int {
        guard (1...8).contains(size), position >= 0, position + size <= bytes.count else { throw .damaged }
        let number = bytes[position..<(position + size)].reduce(0 as UInt) { $0 << 8 | UInt($1) }
        guard number <= UInt(Int.max) else { throw .damaged }
        return Int(number)
    }
}

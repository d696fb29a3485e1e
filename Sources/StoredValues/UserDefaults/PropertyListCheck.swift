import StoredValuesFiles

/// Looks a property list over before Foundation reads it, which would end the program where lists are nested too deep, and take
/// for ever where they hold each other many times.
///
/// It finds where values begin and end just as Foundation does, and refuses what the two could take for different things.
enum PropertyListCheck {
    enum Problem: Error, CustomStringConvertible {
        case tooDeep, tooLarge, damaged

        /// What is wrong with the property list, and what to do.
        var description: String {
            switch self {
            case .tooDeep: "Its lists are nested deeper than \(JSONValue.maximumDepth) levels. Correct it, or move it away."
            case .tooLarge:
                """
                It holds more than \(PropertyListCheck.maximumCount) values, or its lists and texts hold each other so often that all of \
                it is far larger than the file. Correct it, or move it away.
                """
            case .damaged: "It is no property list of keys and values. Correct it, or move it away."
            }
        }
    }

    /// The most values that a binary list may come to. Each takes Foundation some 60 µs, however often it is held.
    fileprivate static let maximumCount = 200_000

    /// Throws where `bytes` are not to be given to Foundation; that they are a property list is not said.
    static func check(_ bytes: [UInt8]) throws(Problem) {
        guard bytes.starts(with: "bplist".utf8) else { return try checkText(bytes) }
        guard var list = BinaryPropertyList(bytes) else { throw .damaged }
        try list.visit(list.top)
    }

    /// XML. What is neither that nor binary Foundation refuses on Linux without looking into it.
    private static func checkText(_ bytes: [UInt8]) throws(Problem) {
        // Every < of UTF-16 and UTF-32, which Foundation reads too, has a zero beside it.
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
                throw .damaged  // Foundation takes it for whole inside of lists, and for a beginning before them
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
                // Around the lists stands <plist>, inside of them one value.
                guard depth <= JSONValue.maximumDepth + 2 else { throw .tooDeep }
            }
        }
    }
}

/// The objects of a binary property list. Each is written once, and lists name it by its number, as often as they like.
private struct BinaryPropertyList {
    /// The number of the object that all others are in.
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
        // Of values that nobody holds twice there are fewer than bytes. Some programs write equal ones once.
        valuesLeft = min(max(20_000, bytes.count), PropertyListCheck.maximumCount)
        func number(at position: Int) -> Int { bytes[position..<(position + 8)].reduce(0) { $0 << 8 | Int($1) } }
        (count, top, table) = (number(at: trailer + 8), number(at: trailer + 16), number(at: trailer + 24))
        guard (0..<bytes.count).contains(count), (0..<trailer).contains(table) else { return nil }
    }

    /// Counts the object and all in it.
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
            // Of a number of 16 bytes Foundation reads the lower half.
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

    /// How many elements, pairs or characters an object has. It is no more than there are bytes.
    private func readCount(_ marker: UInt8, _ position: inout Int) throws(PropertyListCheck.Problem) -> Int {
        guard marker & 0xF == 0xF else { return Int(marker & 0xF) }
        guard position < table, bytes[position] >> 4 == 0x1, bytes[position] & 0xF <= 3 else { throw .damaged }
        let size = 1 << Int(bytes[position] & 0xF)
        let count = try number(at: position + 1, size: size)
        guard count <= bytes.count else { throw .damaged }
        position += 1 + size
        return count
    }

    /// The number in `size` bytes, which lie inside the list.
    private func number(at position: Int, size: Int) throws(PropertyListCheck.Problem) -> Int {
        guard (1...8).contains(size), position >= 0, position + size <= bytes.count else { throw .damaged }
        let number = bytes[position..<(position + size)].reduce(0 as UInt) { $0 << 8 | UInt($1) }
        guard number <= UInt(Int.max) else { throw .damaged }
        return Int(number)
    }
}

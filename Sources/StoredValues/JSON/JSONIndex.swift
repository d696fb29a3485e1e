import StoredValuesSupport

/// Valid JSON text and the positions of its values. Items are decoded from it; a tree of ``JSONValue`` is made only on request.
final class JSONIndex {
    /// A value, or the name of a member. The contents of a list or an object follow it: its elements, or alternating names and values.
    struct Token {
        let range: Range<UInt32>
        /// The position of the next token that is not inside this one.
        let next: UInt32
        /// Whether it is a string with escapes.
        let isEscaped: Bool
    }

    enum Kind: String {
        case null = "null"
        case bool = "a bool"
        case number = "a number"
        case string = "a string"
        case list = "a list"
        case object = "an object"
    }

    private let text: [UInt8]
    private let tokens: [Token]

    /// The index of the value that `text` contains, from first to last.
    init(_ text: [UInt8]) throws(JSONSyntaxError) {
        var scanner = JSONScanner(text)
        try scanner.checkEncoding()
        guard UInt32(exactly: text.count) != nil else { throw scanner.failure("more than 4 GiB of text") }
        scanner.tokens = []
        scanner.skipWhitespace()
        _ = try scanner.skipValue()
        try scanner.checkEnd()
        (self.text, tokens) = (text, scanner.tokens ?? [])
    }

    func kind(_ position: Int) -> Kind {
        switch text[Int(tokens[position].range.lowerBound)] {
        case UInt8(ascii: "n"): .null
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "["): .list
        case UInt8(ascii: "{"): .object
        default: .number
        }
    }

    /// A string, or a number as written.
    func string(_ position: Int) -> String {
        guard tokens[position].isEscaped else { return withBytes(position) { String(decoding: $0, as: UTF8.self) } }
        // This does not throw: the escapes were checked.
        return (try? JSONScanner(text).unescape(content(position))) ?? ""
    }

    /// Passes the bytes of a string, or of a number as written.
    func withBytes<Result>(_ position: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        guard !tokens[position].isEscaped else {
            var string = string(position)
            return string.withUTF8(body)
        }
        return text.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[content(position)])) }
    }

    /// The range of a number, or of a string without its quotes.
    private func content(_ position: Int) -> Range<Int> {
        let range = tokens[position].range.wide
        return kind(position) == .string ? (range.lowerBound + 1)..<(range.upperBound - 1) : range
    }

    func bool(_ position: Int) -> Bool { text[Int(tokens[position].range.lowerBound)] == UInt8(ascii: "t") }

    /// The elements of a list, or the names in an object, each before its value.
    func parts(of container: Int) -> [Int] {
        let isList = kind(container) == .list
        var parts: [Int] = []
        var part = container + 1
        while part < tokens[container].next {
            parts.append(part)
            part = Int(tokens[isList ? part : part + 1].next)
        }
        return parts
    }

    /// The names in an object, sorted by their bytes; the last of each.
    func names(in object: Int) -> [Int] {
        parts(of: object).sortedLast { left, right in withBytes(left) { left in withBytes(right) { left.order(to: $0) < 0 } } }
    }

    /// The member called `name`; nil if it is not one of `names`, which are sorted.
    func member(_ name: String, of names: [Int]) -> Int? {
        var name = name
        return name.withUTF8 { name in
            var (low, high) = (0, names.count)
            while low < high {
                let middle = (low + high) / 2
                let order = withBytes(names[middle]) { $0.order(to: name) }
                if order == 0 { return names[middle] + 1 }
                if order < 0 { low = middle + 1 } else { high = middle }
            }
            return nil
        }
    }
}

extension JSONIndex {
    /// The offset of the first name that its object already has in another spelling (é as one scalar or as two); nil if there is none.
    fileprivate var twin: Int? {
        for object in tokens.indices where kind(object) == .object {
            var names: Set<String> = []
            for name in parts(of: object) {
                let (isNew, other) = names.insert(string(name))
                if !isNew, !other.isIdentical(to: string(name)) { return Int(tokens[name].range.lowerBound) }
            }
        }
        return nil
    }
}

extension JSONValue {
    init(_ index: JSONIndex, at position: Int = 0) {
        switch index.kind(position) {
        case .null: self = .null
        case .bool: self = .bool(index.bool(position))
        case .number: self = .number(JSONNumber(unchecked: index.string(position)))
        case .string: self = .string(index.string(position))
        case .list: self = .array(index.parts(of: position).map { JSONValue(index, at: $0) })
        case .object:
            self.init(members: index.parts(of: position).map { (index.string($0), JSONValue(index, at: $0 + 1)) })
        }
    }

    /// The value that `bytes` contain, from first to last.
    package init(parsing bytes: [UInt8]) throws(JSONSyntaxError) { self.init(try JSONIndex(bytes)) }

    /// The value that `text` contains, with its numbers as written; nil if it is not JSON. ``init(parsing:)`` says why.
    public init?(text: String) {
        guard let value = try? JSONValue(parsing: Array(text.utf8)) else { return nil }
        self = value
    }

    /// The value that `text` contains. Throws an error that says what is not JSON, and at which line and column.
    public init(parsing text: String) throws { try self.init(parsing: Array(text.utf8)) }

    /// The value that somebody typed as `text`; nil if it is not JSON. Throws if it is JSON that would not be stored as it looks: it is
    /// nested too deeply, or an object has one name in two spellings, of which one would be lost.
    package init?(typed text: String) throws(JSONSyntaxError) {
        let bytes = Array(text.utf8)
        let index: JSONIndex
        do throws(JSONSyntaxError) {
            index = try JSONIndex(bytes)
        } catch {
            if error.problem.isIdentical(to: JSONSyntaxError.tooDeep) { throw error }
            return nil
        }
        if let twin = index.twin { throw JSONScanner(bytes).failure("a name that the object has already, in another spelling,", at: twin) }
        self.init(index)
    }
}

extension Array {
    /// The elements sorted, and of equal ones only the last.
    func sortedLast(by isBefore: (Element, Element) -> Bool) -> [Element] {
        if zip(self, dropFirst()).allSatisfy(isBefore) { return self }
        var result: [Element] = []
        result.reserveCapacity(count)
        for element in sorted(by: isBefore) {  // which is stable
            if let last = result.last, !isBefore(last, element) { result.removeLast() }
            result.append(element)
        }
        return result
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Less than 0 if these bytes come before the others, 0 if they are the same, else more: like memcmp(3), with a shorter one
    /// first. Compares eight bytes at a time, because each change searches for its key.
    @inline(__always)
    func order(to other: UnsafeBufferPointer<UInt8>) -> Int {
        let (left, right) = (UnsafeRawBufferPointer(self), UnsafeRawBufferPointer(other))
        let common = Swift.min(left.count, right.count)
        var offset = 0
        while offset + 8 <= common {
            let leftWord = left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            let rightWord = right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            guard leftWord == rightWord else { return leftWord.bigEndian < rightWord.bigEndian ? -1 : 1 }
            offset += 8
        }
        while offset < common {
            guard left[offset] == right[offset] else { return left[offset] < right[offset] ? -1 : 1 }
            offset += 1
        }
        return left.count - right.count
    }
}

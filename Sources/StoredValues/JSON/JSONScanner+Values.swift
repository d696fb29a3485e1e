import StoredValuesSupport

extension JSONValue {
    /// The value that `bytes` contain, from first to last.
    package init(parsing bytes: [UInt8]) throws(JSONSyntaxError) {
        var scanner = JSONScanner(bytes)
        try scanner.checkEncoding()
        scanner.skipWhitespace()
        self = try scanner.parseValue()
        try scanner.checkEnd()
    }

    /// The value that `text` contains; nil if it is not JSON.
    package init?(text: String) {
        guard let value = try? JSONValue(parsing: Array(text.utf8)) else { return nil }
        self = value
    }

    /// The value that somebody typed as `text`; nil if it is not JSON. Throws if it is, but could not be stored as it looks: with more levels than
    /// any reader takes, or with two names in one object that are the same text in two spellings, of which one would be lost.
    package init?(typed text: String) throws(JSONSyntaxError) {
        var scanner = JSONScanner(Array(text.utf8))
        do throws(JSONSyntaxError) {
            scanner.skipWhitespace()
            self = try scanner.parseValue()
            try scanner.checkEnd()
        } catch {
            if error.problem.isIdentical(to: JSONSyntaxError.tooDeep) { throw error }
            return nil
        }
        if let twin = scanner.twin { throw twin }
    }
}

extension JSONScanner {
    /// Checks that the whole text is UTF-8, as RFC 8259 requires.
    func checkEncoding() throws(JSONSyntaxError) {
        do {
            _ = try UTF8Span(validating: bytes.span)
        } catch {
            let isUTF16 = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
            throw failure("the text is \(isUTF16 ? "UTF-16" : "not UTF-8"); save it as UTF-8", at: error.byteOffsets.lowerBound)
        }
    }

    /// Checks that only white space is left.
    mutating func checkEnd() throws(JSONSyntaxError) {
        skipWhitespace()
        guard next == nil else { throw failure("more text after the end of the value") }
    }

    /// Moves past one value and returns it.
    mutating func parseValue(depth: Int = 0) throws(JSONSyntaxError) -> JSONValue {
        switch next {
        case UInt8(ascii: "{"):
            try enter(depth)
            var members = [String: JSONValue](minimumCapacity: 6)  // most objects are small, and growing takes long
            guard !skipEmpty(UInt8(ascii: "}")) else { return .object(members) }
            repeat {
                let start = index
                let name = try parseString()
                try skipColon()
                noteTwin(of: name, in: members, at: start)
                members[name] = try parseValue(depth: depth + 1)
            } while try skipSeparator(orEnd: UInt8(ascii: "}"))
            return .object(members)
        case UInt8(ascii: "["):
            try enter(depth)
            var elements: [JSONValue] = []
            guard !skipEmpty(UInt8(ascii: "]")) else { return .array(elements) }
            repeat {
                elements.append(try parseValue(depth: depth + 1))
            } while try skipSeparator(orEnd: UInt8(ascii: "]"))
            return .array(elements)
        case UInt8(ascii: "\""):
            return .string(try parseString())
        case UInt8(ascii: "t"):
            try skipWord("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try skipWord("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try skipWord("null")
            return .null
        default:
            let text = try skipValue(depth: depth)
            return .number(JSONNumber(unchecked: String(decoding: bytes[text], as: UTF8.self)))
        }
    }

    /// Notes that an object has two names which Swift takes for one, for both are the same text (é as one scalar or as two).
    private mutating func noteTwin(of name: String, in members: [String: JSONValue], at start: Int) {
        // Only then it costs anything.
        guard twin == nil, !name.utf8.allSatisfy({ $0 < 0x80 }), let other = members.index(forKey: name) else { return }
        if !members.keys[other].isIdentical(to: name) { twin = failure("a name that the object has already, in another spelling,", at: start) }
    }

    /// Moves past a string and returns its value.
    mutating func parseString() throws(JSONSyntaxError) -> String {
        let (text, escaped) = try skipString()
        return escaped ? try unescape(text) : String(decoding: bytes[text], as: UTF8.self)
    }

    /// The string whose escaped text is at `text`, which was skipped before. Throws only for half of a surrogate pair.
    func unescape(_ text: Range<Int>) throws(JSONSyntaxError) -> String {
        var plain: [UInt8] = []
        plain.reserveCapacity(text.count)  // so that it never moves: it may be of a secret
        defer { plain.withUnsafeMutableBytes { wipe($0) } }
        var rest = JSONScanner(bytes, from: text.lowerBound)
        while rest.index < text.upperBound, let byte = rest.next {
            if byte == UInt8(ascii: "\\") {
                guard let scalar = try rest.skipEscape() else { throw rest.failure(JSONSyntaxError.halfOfPair) }
                plain.append(contentsOf: String(scalar).utf8)
            } else {
                plain.append(byte)
                _ = rest.skip(byte)
            }
        }
        return String(decoding: plain, as: UTF8.self)
    }
}

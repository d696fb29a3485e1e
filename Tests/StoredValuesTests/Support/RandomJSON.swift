@testable import StoredValues

extension JSONValue {
    /// A random value, at most `depth` containers deep.
    static func random(depth: Int, using generator: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &generator) {
        case 0: return .null
        case 1: return .bool(.random(using: &generator))
        case 2: return .number(JSONNumber(Int64(truncatingIfNeeded: generator.next() >> UInt64.random(in: 0..<64, using: &generator))))
        case 3: return .number(.random(using: &generator))
        case 4, 5: return .string(.random(using: &generator))
        case 6: return .array((0..<Int.random(in: 0...4, using: &generator)).map { _ in random(depth: depth - 1, using: &generator) })
        default:
            let members = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
                (String.random(using: &generator), random(depth: depth - 1, using: &generator))
            }
            return .object(Dictionary(members) { first, _ in first })
        }
    }
}

extension JSONNumber {
    /// A random number in any of JSON's spellings.
    static func random(using generator: inout SeededGenerator) -> JSONNumber {
        func digits(_ range: ClosedRange<Int>) -> String {
            (0..<Int.random(in: range, using: &generator)).map { _ in "\(Int.random(in: 0...9, using: &generator))" }.joined()
        }
        func one(of texts: String...) -> String { texts.randomElement(using: &generator) ?? "" }
        let whole = one(of: "0", "7", "1\(digits(0...40))")
        let fraction = one(of: "", ".\(digits(1...20))")
        let exponent = one(of: "", "\(one(of: "e", "E", "e+", "E-"))\(digits(1...6))")
        return JSONNumber(unchecked: one(of: "", "-") + whole + fraction + exponent)
    }
}

extension String {
    /// A random text of characters that give readers and writers trouble.
    static func random(using generator: inout SeededGenerator) -> String {
        let pieces = ["a", "key", "\"", "\\", "/", "\n", "\r\n", "\0", "\u{1F}", "\u{7F}", "é", "e\u{301}", "\u{2028}", "😀", "\u{FEFF}", "\u{10FFFF}", "$", " "]
        return (0..<Int.random(in: 0...6, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
    }
}

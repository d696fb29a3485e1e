import Foundation

@testable import StoredValues

/// Random numbers that a seed repeats (SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators"). What a
/// process does at such a moment is another thing each time.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// `TEST_SEED` of the environment, or a new seed; it is printed.
    static func printedSeed(for what: String) -> UInt64 {
        let given = ProcessInfo.processInfo.environment["TEST_SEED"].flatMap { UInt64($0) }
        let seed = given ?? .random(in: 0...UInt64.max)
        print("\(what): TEST_SEED=\(seed)")
        return seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word >> 31)
    }

    /// `count` seeds, other ones in each run. `TEST_SEED=<number>`, as a failed test names it, runs that one only.
    static func seeds(_ count: Int) -> [UInt64] {
        if let seed = ProcessInfo.processInfo.environment["TEST_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        return (0..<count).map { _ in .random(in: 0 ... .max) }
    }
}

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

/// Changes bytes at random, with a liking for what means something in JSON.
struct Mutator {
    var bytes: [UInt8]

    private static let tokens: [[UInt8]] =
        [
            "{", "}", "[", "]", ":", ",", "\"", "\\", "\\u0000", "\\ud83d", "\\ude00", "\\n", "\"\":", "\"n\":", "\"a\":", "null", "true",
            "-0", "1e9", "0.5", "\n", " ", "é", "\u{FEFF}", "\"2001-01-01T00:00:00.5Z\"", "\"nan\"", "{}", "[]",
        ].map { Array($0.utf8) } + [[0], [0x80], [0xC3], [0xED, 0xA0, 0x80], [0xFF]]

    mutating func mutate(using generator: inout SeededGenerator) {
        let place = Int.random(in: 0...bytes.count, using: &generator)
        let end = min(bytes.count, place + Int.random(in: 1...8, using: &generator))
        let token = Self.tokens.randomElement(using: &generator) ?? []
        switch Int.random(in: 0..<6, using: &generator) {
        case 0, 1: bytes.insert(contentsOf: token, at: place)
        case 2: bytes.replaceSubrange(place..<min(bytes.count, place + token.count), with: token)
        case 3: bytes.removeSubrange(place..<end)
        case 4: bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &generator))
        default: if place < bytes.count { bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator) }
        }
    }
}

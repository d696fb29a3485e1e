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

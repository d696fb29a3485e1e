/// A JSON number as text, so that nothing is lost: `1e400`, `0.10` and 80 digits are all kept.
public struct JSONNumber: Hashable, Sendable, CustomStringConvertible {
    /// The number in JSON syntax.
    public let text: String

    /// The number with this text; nil if it is not a JSON number.
    public init?(text: String) {
        var scanner = JSONScanner(Array(text.utf8))
        guard (try? scanner.skipNumber()) != nil, scanner.next == nil else { return nil }
        self.text = text
    }

    /// An integer.
    public init(_ value: some BinaryInteger) { text = String(value) }

    /// The shortest text that reads back equal; nil for infinity and nan, which JSON has no number for.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        self.init(unchecked: value.description)
    }

    /// For text that is known to be a number.
    init(unchecked text: String) { self.text = text }

    /// The text.
    public var description: String { text }
}

extension JSONNumber {
    /// The number as digits times a power of ten, computed from its text: a `Double` would round it.
    private struct Scientific: Equatable {
        let isNegative: Bool
        /// Without zeros at either end; empty for zero.
        let digits: Substring
        let exponent: Int

        init(_ text: String) {
            let parts = text.split { $0 == "e" || $0 == "E" }
            let fraction = parts[0].split(separator: ".").dropFirst().first ?? ""
            let all = parts[0].filter { $0 != "." }.drop { $0 == "-" || $0 == "0" }
            let zeros = all.reversed().prefix { $0 == "0" }.count
            // The exponent may have any number of digits, so it is clamped.
            let written = parts.count < 2 ? 0 : Int(parts[1]) ?? (parts[1].hasPrefix("-") ? .min : .max)
            digits = all.dropLast(zeros)
            exponent = digits.isEmpty ? 0 : max(-(1 << 60), min(written, 1 << 60)) - fraction.utf8.count + zeros
            isNegative = text.hasPrefix("-") && !digits.isEmpty
        }

        /// Compares without the signs.
        func isSmaller(than other: Scientific) -> Bool {
            guard !digits.isEmpty, !other.digits.isEmpty else { return digits.isEmpty && !other.digits.isEmpty }
            let (size, otherSize) = (exponent + digits.count, other.exponent + other.digits.count)
            return size == otherSize ? digits.utf8.lexicographicallyPrecedes(other.digits.utf8) : size < otherSize
        }
    }

    /// The integer that this is, `30.0` and `3e1` included; nil if it is not an integer or does not fit.
    func exactly<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
        if let value = Integer(text) { return value }
        let number = Scientific(text)
        // A digit takes more than three bits.
        guard number.exponent >= 0, number.digits.count + number.exponent <= Integer.bitWidth / 3 + 1 else { return nil }
        return Integer((number.isNegative ? "-0" : "0") + number.digits + String(repeating: "0", count: number.exponent))
    }

    /// Whether it has no fraction, however written.
    var isInteger: Bool { Scientific(text).exponent >= 0 }

    /// Whether it is less than the other, exactly.
    func isLess(than other: JSONNumber) -> Bool {
        let (one, other) = (Scientific(text), Scientific(other.text))
        guard one.isNegative == other.isNegative else { return one.isNegative }
        return one.isNegative ? other.isSmaller(than: one) : one.isSmaller(than: other)
    }

    /// Whether both are the same number, however written.
    func isSame(as other: JSONNumber) -> Bool { Scientific(text) == Scientific(other.text) }
}

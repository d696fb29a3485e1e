/// A JSON number as text, so that nothing is lost: `1e400`, `0.10` and 80 digits are all kept.
public struct JSONNumber: Hashable, Sendable, CustomStringConvertible {
    /// The number in JSON syntax.
    public let text: String

    /// The number with this text; nil if it is not a JSON number.
    public init?(text: String) {
        var scanner = JSONScanner(Array(text.utf8))
        guard let end = try? scanner.skipNumber(), end == text.utf8.count else { return nil }
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
        var isNegative = false
        /// Without zeros at either end; empty for zero.
        var digits: [UInt8] = []
        var exponent = 0

        init(_ text: String) {
            var isFraction = false
            // The exponent may have any number of digits, so it is clamped.
            var written = 0
            let bytes = Array(text.utf8)
            scan: for (position, byte) in bytes.enumerated() {
                switch byte {
                case UInt8(ascii: "-"): isNegative = true
                case UInt8(ascii: "."): isFraction = true
                case UInt8(ascii: "e"), UInt8(ascii: "E"):
                    let text = String(decoding: bytes[(position + 1)...], as: UTF8.self)
                    written = Int(text).map { max(-(1 << 60), min($0, 1 << 60)) } ?? (text.utf8.first == UInt8(ascii: "-") ? -1 : 1) << 60
                    break scan
                default:
                    if isFraction { exponent -= 1 }
                    if byte != UInt8(ascii: "0") || !digits.isEmpty { digits.append(byte) }
                }
            }
            while digits.last == UInt8(ascii: "0") {
                digits.removeLast()
                exponent += 1
            }
            exponent += written
            if digits.isEmpty { (isNegative, exponent) = (false, 0) }
        }
    }

    /// The integer that this is, `30.0` and `3e1` included; nil if it is not an integer or does not fit.
    func exactly<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
        if let value = Integer(text) { return value }
        let number = Scientific(text)
        // A digit takes more than three bits.
        guard number.exponent >= 0, number.digits.count + number.exponent <= Integer.bitWidth / 3 + 1 else { return nil }
        let digits = number.digits + Array(repeating: UInt8(ascii: "0"), count: number.exponent)
        return Integer((number.isNegative ? "-0" : "0") + String(decoding: digits, as: UTF8.self))
    }

    /// Whether both are the same number, however written.
    func isSame(as other: JSONNumber) -> Bool { Scientific(text) == Scientific(other.text) }
}

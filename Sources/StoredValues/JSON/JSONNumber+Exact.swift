extension JSONNumber {
    /// The number as digits times a power of ten, which is worked out on its text: a `Double` would round it.
    private struct Scientific: Equatable {
        var isNegative = false
        /// With no zeros at either end; none at all for zero.
        var digits: [UInt8] = []
        var exponent = 0

        init(_ text: String) {
            var isFraction = false
            // The exponent may have any number of digits; nothing below counts up to it.
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

    /// The whole number that this is, `30.0` and `3e1` included; nil when it is not whole or does not fit.
    func exactly<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
        if let value = Integer(text) { return value }
        let number = Scientific(text)
        // A digit takes more than three bits.
        guard number.exponent >= 0, number.digits.count + number.exponent <= Integer.bitWidth / 3 + 1 else { return nil }
        let digits = number.digits + Array(repeating: UInt8(ascii: "0"), count: number.exponent)
        return Integer((number.isNegative ? "-0" : "0") + String(decoding: digits, as: UTF8.self))
    }

    /// Whether both are the same number, however they are written.
    func isSame(as other: JSONNumber) -> Bool { Scientific(text) == Scientific(other.text) }
}

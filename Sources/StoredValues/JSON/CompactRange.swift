// Offsets of four bytes, which keep the indexes of a text and of a file small.

extension Range<Int> {
    var compact: Range<UInt32> { UInt32(lowerBound)..<UInt32(upperBound) }
}

extension Range<UInt32> {
    var wide: Range<Int> { Int(lowerBound)..<Int(upperBound) }
    /// Unchecked, because many are moved at once: the result is known to fit.
    func moved(by distance: Int) -> Range<UInt32> {
        let distance = UInt32(truncatingIfNeeded: distance)
        return Range(uncheckedBounds: (lowerBound &+ distance, upperBound &+ distance))
    }
}

extension UnsafeBufferPointer<UInt8> {
    subscript(range: Range<UInt32>) -> UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: self[range.wide]) }
}

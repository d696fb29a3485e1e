import Foundation

/// Random numbers that come again with the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var number = state
        number = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
        return number ^ (number >> 31)
    }

    /// `count` seeds, other ones in each run. `TEST_SEED=<number>`, as a failed test names it, runs that one only.
    static func seeds(_ count: Int) -> [UInt64] {
        if let seed = ProcessInfo.processInfo.environment["TEST_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        return (0..<count).map { _ in .random(in: 0 ... .max) }
    }
}

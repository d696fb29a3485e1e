import Foundation

/// Random numbers that a seed repeats (SplitMix64). What a process does at such a moment is another thing each time.
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

import Synchronization

/// A few bytes that one thread at a time writes and any number of threads copy without a lock: a reader uses its copy if the
/// stamp is still the same. Reading never waits, and writes no shared memory.
struct SequenceLock: ~Copyable, Sendable {
    /// The capacity in bytes.
    static var capacity: Int { 64 }

    /// Identifies the current bytes, unique each time; 0 while there are none to read.
    private let stamp = Atomic<UInt64>(0)
    private let words = InlineArray<8, Atomic<UInt64>> { _ in Atomic(0) }

    // MARK: Reading

    /// The stamp to read the bytes with, or 0.
    var currentStamp: UInt64 { stamp.load(ordering: .acquiring) }

    /// The bytes of that stamp. Throws if they have changed.
    @inline(__always)
    func bytes(of stamp: UInt64) throws(NotReady) -> InlineArray<8, UInt64> {
        let copy = InlineArray<8, UInt64> { words[$0].load(ordering: .relaxed) }
        atomicMemoryFence(ordering: .acquiring)
        guard self.stamp.load(ordering: .relaxed) == stamp else { throw NotReady() }
        return copy
    }

    // MARK: Writing, one thread at a time

    /// Marks the bytes as not readable.
    func beginWriting() {
        stamp.store(0, ordering: .relaxed)
        // Later writes must not become visible before this one.
        atomicMemoryFence(ordering: .releasing)
    }

    /// Replaces the bytes, which may be a secret's; nil clears them. Call it between `beginWriting()` and `endWriting(_:)`.
    func write(_ bytes: UnsafeRawBufferPointer?) {
        for index in words.indices {
            var word: UInt64 = 0
            if let bytes { withUnsafeMutableBytes(of: &word) { $0.copyBytes(from: bytes.dropFirst(8 * index).prefix(8)) } }
            words[index].store(word, ordering: .relaxed)
        }
    }

    /// Makes the bytes readable; the stamp must not have been used in here before.
    func endWriting(_ stamp: UInt64) { self.stamp.store(stamp, ordering: .releasing) }
}

/// The bytes are being changed, or were not made ready.
struct NotReady: Error {}

import Synchronization

/// A few bytes that one thread at a time writes and any number copy without a lock: a reader takes its copy if the stamp is still
/// the same. It waits for nobody, and writes nothing that other threads would have to fetch.
struct SequenceLock: ~Copyable, Sendable {
    /// How many bytes there is room for.
    static var capacity: Int { 64 }

    /// Says which bytes these are, another one each time; 0 while there are none to read.
    private let stamp = Atomic<UInt64>(0)
    private let words = InlineArray<8, Atomic<UInt64>> { _ in Atomic(0) }

    // MARK: Reading

    /// What to ask for the bytes with, or 0.
    var currentStamp: UInt64 { stamp.load(ordering: .acquiring) }

    /// The bytes of that stamp, unless there are others by now.
    @inline(__always)
    func bytes(of stamp: UInt64) throws(NotReady) -> InlineArray<8, UInt64> {
        let copy = InlineArray<8, UInt64> { words[$0].load(ordering: .relaxed) }
        atomicMemoryFence(ordering: .acquiring)
        guard self.stamp.load(ordering: .relaxed) == stamp else { throw NotReady() }
        return copy
    }

    // MARK: Writing, one thread at a time

    /// Says that there is nothing to read.
    func beginWriting() {
        stamp.store(0, ordering: .relaxed)
        // What is written next must not be seen before that.
        atomicMemoryFence(ordering: .releasing)
    }

    /// Puts bytes, or none, in the place of the old ones, which may be a secret's. Between the other two.
    func write(_ bytes: UnsafeRawBufferPointer?) {
        for index in words.indices {
            var word: UInt64 = 0
            if let bytes { withUnsafeMutableBytes(of: &word) { $0.copyBytes(from: bytes.dropFirst(8 * index).prefix(8)) } }
            words[index].store(word, ordering: .relaxed)
        }
    }

    /// Lets them be read; the stamp must be one that no bytes in here have had.
    func endWriting(_ stamp: UInt64) { self.stamp.store(stamp, ordering: .releasing) }
}

/// What was to be read is being changed, or nobody has made it ready.
struct NotReady: Error {}

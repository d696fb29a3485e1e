import StoredValuesSupport
import Synchronization

/// The item of a live value, where reading it takes but a few instructions: the content is for anything that may be stored,
/// and looking into it costs 50 times as much.
///
/// A small item that holds no references lies in words which readers copy without a lock; they wait for nobody, and write
/// nothing that other threads would have to fetch. Any other item is copied under a lock of its own.
final class ReadyItem<Item: Sendable>: Sendable {
    let signal: ContentSignal
    /// The same, to be used without being counted.
    private let uncountedSignal: Unmanaged<ContentSignal>
    /// How many words the item fills; nil where it does not lie in them.
    private let wordCount: Int?
    private let words = InlineArray<8, Atomic<UInt64>> { _ in Atomic(0) }
    private static var capacity: Int { 64 }
    private let boxLock = Guarded(())
    /// The item that does not lie in words, retained. Readers copy it under the lock and do not count the box: that would be two
    /// writes to memory that all of them use.
    nonisolated(unsafe) private var box: Unmanaged<ItemBox<Item>>?  // used under `boxLock` only, and in `deinit`

    /// - Parameter signal: Says whether there is an item, or none is stored: its last bit is 1 then.
    init(_ signal: ContentSignal) {
        self.signal = signal
        uncountedSignal = .passUnretained(signal)
        // What may be copied as bytes; `is BitwiseCopyable` would say the same, and is not to be asked at run time.
        let isBytes = _isPOD(Item.self) && MemoryLayout<Item>.size <= Self.capacity && MemoryLayout<Item>.alignment <= 8
        wordCount = isBytes ? (MemoryLayout<Item>.size + 7) / 8 : nil
    }

    deinit { box?.release() }

    /// The item, or `absent` when none is stored. What is returned was the content at some time during the call. Observers
    /// are noted.
    @inline(__always)
    func item(orIfAbsent absent: @autoclosure () -> Item) throws(NotReady) -> Item {
        uncountedSignal._withUnsafeGuaranteedRef { $0.noteAccess() }
        let stamp = signal.readyStamp
        return stamp & 1 == 0 ? try item(of: stamp) : absent()
    }

    /// The same, nil when none is stored. As an item of an optional type it would have to be looked up what that is.
    @inline(__always)
    func itemIfAny() throws(NotReady) -> Item? {
        uncountedSignal._withUnsafeGuaranteedRef { $0.noteAccess() }
        let stamp = signal.readyStamp
        return stamp & 1 == 0 ? try item(of: stamp) : nil
    }

    @inline(__always)
    private func item(of stamp: UInt64) throws(NotReady) -> Item {
        guard stamp != 0 else { throw NotReady() }
        guard let wordCount else { return try boxedItem() }
        var copy = InlineArray<8, UInt64>(repeating: 0)
        for index in 0..<wordCount { copy[index] = words[index].load(ordering: .relaxed) }
        guard signal.isStill(stamp) else { throw NotReady() }
        return withUnsafePointer(to: &copy) { UnsafeRawPointer($0).assumingMemoryBound(to: Item.self).pointee }
    }

    @inline(__always)
    private func boxedItem() throws(NotReady) -> Item {
        boxLock.lock()
        defer { boxLock.unlock() }
        guard let box else { throw NotReady() }
        // Copying a Swift value runs nobody's code; letting go of one may, and is not done in here.
        return box._withUnsafeGuaranteedRef { $0.item }
    }

    /// Puts the item in its place, before the signal says that it is there; one call at a time. Returns what is to be
    /// released when no lock is held.
    func prepare(_ item: Item) -> (any Sendable)? {
        guard let wordCount else {
            return exchange(.passRetained(ItemBox(item)))
        }
        withUnsafeBytes(of: item) { bytes in
            for index in 0..<wordCount {
                var word: UInt64 = 0
                let rest = bytes[(8 * index)..<min(bytes.count, 8 * index + 8)]
                withUnsafeMutableBytes(of: &word) { $0.copyBytes(from: rest) }
                words[index].store(word, ordering: .relaxed)
            }
        }
        return nil
    }

    /// Lets go of the item, which may be a secret, after the signal said that it is not ready. Not to be called together with
    /// the above. Returns what is to be released when no lock is held.
    func clear() -> (any Sendable)? {
        if let wordCount {
            for index in 0..<wordCount { words[index].store(0, ordering: .relaxed) }
            return nil
        }
        return exchange(nil)
    }

    private func exchange(_ new: Unmanaged<ItemBox<Item>>?) -> (any Sendable)? {
        boxLock.lock()
        defer { boxLock.unlock() }
        let old = box
        box = new
        return old?.takeRetainedValue()
    }
}

/// The live value is to be asked, and makes the item ready then.
struct NotReady: Error {}

private final class ItemBox<Item: Sendable>: Sendable {
    let item: Item
    init(_ item: Item) { self.item = item }
}

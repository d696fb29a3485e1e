public import Observation
public import StoredValuesSupport
public import Synchronization

/// The item of a live value, prepared for its readers: as bytes that they copy without a lock, or, if that is impossible, in a box
/// that they copy it from under the lock. And those who observe it.
///
/// A getter inlines what it needs of this, so that the compiler of the program knows the type of the item: looking it up at run
/// time would take longer than the rest of a read.
///
/// The bytes are behind a sequence lock: a reader uses its copy if the stamp is still the same. It never waits, and writes no
/// shared memory, so that readers do not slow each other down.
@usableFromInline
final class ReadyItem<Item: Sendable>: Sendable {
    /// Whether the item is copied as bytes.
    @inlinable static var isBytes: Bool {
        // `Item.self is any BitwiseCopyable` would be clearer, but is not allowed at run time.
        _isPOD(Item.self) && MemoryLayout<Item>.size <= 64 && MemoryLayout<Item>.alignment <= 8
    }

    /// Identifies the item; 0 while none is ready. The last bit says that nothing is stored.
    @usableFromInline let stamp = Atomic<UInt64>(0)
    @usableFromInline let words = InlineArray<8, Atomic<UInt64>> { _ in Atomic(0) }
    /// Taken by writers, and by readers of the box.
    @usableFromInline let lock = Guarded(())
    /// The item if it is not copied as bytes. Used under the lock only.
    @usableFromInline let box = SharedReference<Box<Item>>()
    /// Created once: creating a key path costs more than the rest of a read.
    @usableFromInline let property = Observed.property
    @usableFromInline let specialReaders = SpecialReaders.all
    @usableFromInline let registrar = ObservationRegistrar()

    // MARK: Reading

    /// The item as it was at some moment of the call; the inner nil if nothing is stored, the outer one if none is ready. Records the
    /// access for Observation.
    @inlinable @inline(__always)
    func item() -> Item?? {
        noteAccess()
        let stamp = stamp.load(ordering: .acquiring)
        guard stamp & 1 == 0 else { return .some(nil) }
        guard stamp != 0 else { return nil }
        guard Self.isBytes else { return boxedItem() }
        var copy = InlineArray<8, UInt64>(repeating: 0)
        for index in 0..<(MemoryLayout<Item>.size + 7) / 8 { copy[index] = words[index].load(ordering: .relaxed) }
        atomicMemoryFence(ordering: .acquiring)
        guard self.stamp.load(ordering: .relaxed) == stamp else { return nil }
        // Sound: they are the bytes of an item that consists of nothing else, aligned to 8.
        return copy.span.bytes.unsafeLoad(as: Item.self)
    }

    @inlinable
    func boxedItem() -> Item?? {
        lock.lock()
        defer { lock.unlock() }
        // Copying a Swift value runs no user code; releasing one may, and is not done here.
        guard let box = box.unmanaged else { return nil }
        return box._withUnsafeGuaranteedRef { $0.value }
    }

    /// Records the access for Observation.
    @inlinable @inline(__always)
    func noteAccess() { registrar.access(Observed(), keyPath: property) }

    // MARK: Writing, under the lock

    /// The number that the item was made ready with; 0 while none is.
    var revision: UInt64 { stamp.load(ordering: .relaxed) >> 1 }

    /// Makes the item unreadable, until ``write(_:of:)``.
    func invalidate() {
        stamp.store(0, ordering: .relaxed)
        // Later writes must not become visible before this one.
        atomicMemoryFence(ordering: .releasing)
    }

    /// Makes readers get `item`, nil if nothing is stored. `revision` must be new in here, and what was there must be cleared.
    func write(_ item: Box<Item>?, of revision: UInt64) {
        if let item {
            if Self.isBytes { withUnsafeBytes(of: item.value) { put($0) } } else { _ = box.exchange(item) }
        }
        stamp.store(revision << 1 | (item == nil ? 1 : 0), ordering: .releasing)
    }

    /// Removes the item, which may be a secret, and was made unreadable before. Returns an object to release without the lock.
    func clear() -> Box<Item>? {
        guard Self.isBytes else { return box.exchange(nil) }
        put(UnsafeRawBufferPointer(start: nil, count: 0))
        return nil
    }

    private func put(_ bytes: UnsafeRawBufferPointer) {
        var copy = InlineArray<8, UInt64>(repeating: 0)
        withUnsafeMutableBytes(of: &copy) { $0.copyMemory(from: bytes) }
        for index in copy.indices { words[index].store(copy[index], ordering: .relaxed) }
    }
}

extension ReadyItem: CustomReflectable {
    /// A mirror without children, because the item may be a secret.
    @usableFromInline var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// What observers observe. It is empty, so that passing it counts no references.
@usableFromInline
struct Observed: Observable {
    @inlinable init() {}
    @usableFromInline var content: Void { () }

    static let property: any KeyPath<Observed, Void> & Sendable = \Observed.content
}

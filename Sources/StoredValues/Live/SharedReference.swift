import Synchronization

/// A reference that is set once, and lent to any number of threads without reference counting: each count would be a write to
/// shared memory, and take longer than the rest of a read.
struct SharedReference<Object: AnyObject & Sendable>: ~Copyable, Sendable {
    /// The address of the retained object; 0 while there is none.
    private let address = Atomic<UInt>(0)

    deinit { unmanaged?.release() }

    /// The object, if any. It lives as long as this reference: the caller must retain the owner of this.
    @inline(__always)
    var unmanaged: Unmanaged<Object>? { Self.object(at: address.load(ordering: .acquiring)) }

    /// The object, which is `new` unless another thread was first.
    func setIfNil(_ new: Object) -> Object {
        let retained = Unmanaged.passRetained(new)
        let outcome = address.compareExchange(
            expected: 0, desired: UInt(bitPattern: retained.toOpaque()), ordering: .acquiringAndReleasing)
        guard !outcome.exchanged, let first = Self.object(at: outcome.original) else { return new }
        retained.release()
        return first.takeUnretainedValue()
    }

    @inline(__always)
    private static func object(at address: UInt) -> Unmanaged<Object>? {
        guard let pointer = UnsafeRawPointer(bitPattern: address) else { return nil }
        return Unmanaged.fromOpaque(pointer)
    }
}

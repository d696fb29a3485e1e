public import Synchronization

/// A reference that is lent to any number of threads without reference counting: each count would be a write to
/// shared memory, and take longer than the rest of a read. All is inlined, because looking up the object's type would take as long.
@usableFromInline
struct SharedReference<Object: AnyObject & Sendable>: ~Copyable, Sendable {
    /// The address of the retained object; 0 while there is none.
    @usableFromInline let address = Atomic<UInt>(0)

    deinit { unmanaged?.release() }

    /// The object, if any. It lives as long as this reference: the caller must retain the owner of this.
    @inlinable @inline(__always)
    var unmanaged: Unmanaged<Object>? { Self.object(at: address.load(ordering: .acquiring)) }

    /// Puts `new` in place of the object, and returns the old one. Only where nobody has the old one lent.
    @inline(__always)
    func exchange(_ new: Object?) -> Object? {
        let retained = new.map { UInt(bitPattern: Unmanaged.passRetained($0).toOpaque()) }
        return Self.object(at: address.exchange(retained ?? 0, ordering: .acquiringAndReleasing))?.takeRetainedValue()
    }

    /// The object, which is `new` unless another thread was first.
    @inline(__always)
    func setIfNil(_ new: Object) -> Object {
        let retained = Unmanaged.passRetained(new)
        let outcome = address.compareExchange(
            expected: 0, desired: UInt(bitPattern: retained.toOpaque()), ordering: .acquiringAndReleasing)
        guard !outcome.exchanged, let first = Self.object(at: outcome.original) else { return new }
        retained.release()
        return first.takeUnretainedValue()
    }

    @inlinable @inline(__always)
    static func object(at address: UInt) -> Unmanaged<Object>? {
        guard let pointer = UnsafeRawPointer(bitPattern: address) else { return nil }
        return Unmanaged.fromOpaque(pointer)
    }
}

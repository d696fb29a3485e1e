import Synchronization

/// A reference that is set once, and lent to any number of threads without being counted: each count would be a write to
/// memory that all of them use, and take longer than the rest of a read.
struct SharedReference<Object: AnyObject & Sendable>: ~Copyable, Sendable {
    /// Its address, which is retained; 0 while there is none.
    private let address = Atomic<UInt>(0)

    deinit { unmanaged?.release() }

    /// The object, if there is one. It lives as long as this does: whoever uses it must hold the owner of this.
    @inline(__always)
    var unmanaged: Unmanaged<Object>? { Self.object(at: address.load(ordering: .acquiring)) }

    /// The object, which is `new` unless another thread has set one before.
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

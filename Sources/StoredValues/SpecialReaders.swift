public import Synchronization

/// Counts the temporary scopes, and the threads that may read something else than the others. Mostly there are none, and then a getter need
/// not look further. A thread always sees what it has counted itself.
///
/// An object, because a getter reaches a field of its own faster than a global variable of another module.
@usableFromInline
final class SpecialReaders: Sendable {
    static let all = SpecialReaders()

    @usableFromInline let count = Atomic(0)

    @inlinable @inline(__always)
    var exist: Bool { count.load(ordering: .relaxed) != 0 }
}

/// What to do after a change once every lock is free: wake readers, notify observers, release old values. They may run any code, and
/// use the same values.
package struct AfterUnlocking: Sendable {
    private var readers: [UnsafeContinuation<Void, Never>] = []
    private var notices: [@Sendable () -> Void] = []
    private var replaced: [any AnyObject & Sendable] = []

    package init() {}

    package mutating func wake(_ reader: UnsafeContinuation<Void, Never>) { readers.append(reader) }
    package mutating func notify(_ notice: @escaping @Sendable () -> Void) { notices.append(notice) }
    package mutating func release(_ object: any AnyObject & Sendable) {
        if replaced.isEmpty { replaced.reserveCapacity(8) }  // a change of one value releases five
        replaced.append(object)
    }
    package mutating func release(value: any Sendable) { release(Kept(value: value)) }

    package mutating func append(_ other: AfterUnlocking) {
        readers += other.readers
        notices += other.notices
        replaced += other.replaced
    }

    /// Does all of it; call it without a lock.
    package func run() {
        for reader in readers { reader.resume() }
        for notice in notices { notice() }
    }
}

/// A value that is no object. Objects are kept without it, because generic ones would have to look up their metadata for it.
private final class Kept: Sendable {
    private let value: any Sendable
    init(value: any Sendable) { self.value = value }
}

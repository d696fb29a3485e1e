/// What to do after a change once every lock is free: wake readers, notify observers, release old values. They may run any code, and
/// use the same values.
package struct AfterUnlocking: Sendable {
    private var readers: [UnsafeContinuation<Void, Never>] = []
    private var observed: [any HasObservers] = []
    private var notices: [@Sendable () -> Void] = []
    private var replaced: [any AnyObject & Sendable] = []

    package init() {}

    package mutating func wake(_ reader: UnsafeContinuation<Void, Never>) { readers.append(reader) }
    /// Notifies the observers of `object`, and retains it until then. Unlike a notice, this allocates nothing for itself.
    package mutating func notifyObservers(of object: any HasObservers) { observed.append(object) }
    package mutating func notify(_ notice: @escaping @Sendable () -> Void) { notices.append(notice) }
    package mutating func release(_ object: any AnyObject & Sendable) {
        if replaced.isEmpty { replaced.reserveCapacity(8) }  // a change of one value releases five
        replaced.append(object)
    }
    package mutating func release(value: any Sendable) { release(Kept(value: value)) }

    package mutating func append(_ other: AfterUnlocking) {
        // Mostly there is nothing, and appending nothing takes long.
        if !other.readers.isEmpty { readers += other.readers }
        if !other.observed.isEmpty { observed += other.observed }
        if !other.notices.isEmpty { notices += other.notices }
        if !other.replaced.isEmpty { replaced += other.replaced }
    }

    /// Does all of it; call it without a lock.
    package func run() {
        for reader in readers { reader.resume() }
        for object in observed { object.notifyObservers() }
        for notice in notices { notice() }
    }
}

package protocol HasObservers: AnyObject, Sendable {
    /// Notifies the observers. Called without a lock.
    func notifyObservers()
}

/// Holds a value that is not an object. Objects are stored directly, because boxing a generic one would look up its metadata.
private final class Kept: Sendable {
    private let value: any Sendable
    init(value: any Sendable) { self.value = value }
}

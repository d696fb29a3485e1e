/// What a change leaves to do once every lock is free: readers to wake, observers to tell, old values to let go.
///
/// Under a lock only buffers are filled. Whoever is woken, told or released may run any code, and use the same values.
package struct AfterUnlocking: Sendable {
    /// Stream readers that wait and now have something in their buffer.
    private var readers: [UnsafeContinuation<Void, Never>] = []
    /// Calls that tell observers.
    private var notices: [@Sendable () -> Void] = []
    /// Values that were replaced; a class among them runs its `deinit` when it goes.
    private var replaced: [any Sendable] = []

    package init() {}

    package mutating func wake(_ reader: UnsafeContinuation<Void, Never>) { readers.append(reader) }
    package mutating func notify(_ notice: @escaping @Sendable () -> Void) { notices.append(notice) }
    package mutating func release(_ value: any Sendable) { replaced.append(value) }

    package mutating func append(_ other: AfterUnlocking) {
        readers += other.readers
        notices += other.notices
        replaced += other.replaced
    }

    /// Does it all; to be called with no lock held.
    package func run() {
        for reader in readers { reader.resume() }
        for notice in notices { notice() }
    }
}

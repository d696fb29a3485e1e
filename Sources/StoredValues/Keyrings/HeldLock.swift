import StoredValuesFiles

/// The lock of a file, held until the last reference to this is released, on any thread.
final class HeldLock: Sendable {
    /// The file, which can be changed as long as this object exists.
    let file: LockedFile

    init(_ file: consuming LockedFile) { self.file = file }
}

extension DurableFile {
    /// The lock, or nil if another process has it or has waited for it for long.
    func holdIfFree() throws(KeyringError) -> HeldLock? {
        do {
            // With a timeout of zero it would not let waiting processes go first.
            return HeldLock(try lock(timeout: .nanoseconds(1)))
        } catch {
            guard error.isLockTimeout else { throw KeyringError(error) }
            return nil
        }
    }

    /// Waits for the lock until `deadline` has passed, or `isWanted` returns false: a caller that gave up must not delay those
    /// behind it.
    func hold(deadline: Duration, isWanted: () -> Bool) throws(KeyringError) -> HeldLock {
        let end = ContinuousClock.now + deadline
        do {
            return HeldLock(try lock(timeout: deadline) { isWanted() && ContinuousClock.now < end })
        } catch {
            guard error.isLockTimeout else { throw KeyringError(error) }
            throw isWanted() || ContinuousClock.now >= end ? .timedOut(after: deadline) : .cancelled
        }
    }
}

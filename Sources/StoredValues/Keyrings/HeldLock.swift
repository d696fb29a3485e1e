import StoredValuesFiles

/// The lock of a file, held until the last one who has this lets go of it, on whichever thread.
final class HeldLock: Sendable {
    /// The file, which can be changed as long as this lives.
    let file: LockedFile

    init(_ file: consuming LockedFile) { self.file = file }
}

extension DurableFile {
    /// The lock, or nil where another has it or has waited for it for long.
    func holdIfFree() throws(KeyringError) -> HeldLock? {
        do {
            // With no time at all it would not let others go first.
            return HeldLock(try lock(timeout: .nanoseconds(1)))
        } catch {
            guard error.isLockTimeout else { throw KeyringError(error) }
            return nil
        }
    }

    /// The lock, waited for until `deadline` has passed, or nobody wants it any more: whoever gave up must not keep those behind
    /// waiting.
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

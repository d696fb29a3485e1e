/// The lock of a file, held until the last one who has this lets go of it, on whichever thread.
final class HeldLock: Sendable {
    /// The file, which can be changed as long as this lives.
    let file: LockedFile

    init(_ file: consuming LockedFile) { self.file = file }
}

extension DurableFile {
    /// The lock, waited for until `deadline` has passed, or nobody wants it any more.
    func hold(deadline: Duration, isWanted: () -> Bool) throws(KeyringError) -> HeldLock {
        let start = ContinuousClock.now
        while true {
            do {
                // In turns: whoever gave up must not keep those behind waiting until the deadline. They are long enough for the
                // fairness of the lock, which begins after a quarter of a second.
                return HeldLock(try lock(timeout: min(deadline, .milliseconds(500))))
            } catch {
                guard error.isLockTimeout else { throw KeyringError(error) }
                guard ContinuousClock.now - start < deadline else { throw .timedOut(after: deadline) }
                guard isWanted() else { throw .cancelled }
            }
        }
    }
}

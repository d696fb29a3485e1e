@testable import StoredValuesFiles

extension DurableFile {
    /// Runs `body` with the file's lock held, and rethrows its errors.
    func withLock<Result>(
        timeout: Duration? = lockTimeout, _ body: (borrowing LockedFile) throws -> Result
    ) throws -> Result {
        let locked = try lock(timeout: timeout)
        return try body(locked)
    }
}

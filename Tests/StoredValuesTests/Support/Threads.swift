import Dispatch
import Foundation
import StoredValues
import StoredValuesSupport
import Testing

/// A number that distinguishes the running threads.
func currentThreadNumber() -> UInt { UInt(pthread_self()) }

/// Runs `body`, which blocks its thread for long, on a thread of its own, so that tests beside it go on.
func offPool<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        DispatchQueue(label: "test").async { continuation.resume(returning: body()) }
    }
}

/// Keeps the thread busy for so long: sleeping is too coarse to hit the parts of a change.
func spin(_ time: Duration) {
    let end = ContinuousClock.now + time
    while ContinuousClock.now < end {}
}

/// What `body` returns on a thread of its own, for which this one waits.
func onAnotherThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result {
    let result = Guarded<Result?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        let value = body()
        result.withLock { $0 = value }
        isDone.signal()
    }
    isDone.wait()
    return result.withLock { $0 }!  // it was set before the signal
}

/// Whether the thread, by its path below /proc as `/proc/thread-self` has it, waits for something, such as a lock.
func isAsleep(_ thread: String?) -> Bool {
    guard let thread, let status = try? contents(ofFile: "/proc/\(thread)/stat") else { return false }
    return status.split(separator: ")").last?.first { $0 != " " } == "S"  // the name comes before, in parentheses
}

/// Runs the tasks of a test on a queue of their own, one after the other.
final class QueueExecutor: TaskExecutor {
    let queue = DispatchQueue(label: "test")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Returns when what was begun before it waits for something else: a call whose task was just made is under way then.
    func allWaiting() async {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume() }
        }
    }
}

/// Begins `call`, cancels it once it waits for something, and expects that it ends at once by that.
func expectCancelled(
    sourceLocation: SourceLocation = #_sourceLocation, _ call: @escaping @Sendable () async throws -> Void
) async {
    let executor = QueueExecutor()
    let task = Task(executorPreference: executor) { try await call() }
    await executor.allWaiting()
    task.cancel()
    await #expect(throws: KeyringError.cancelled, sourceLocation: sourceLocation) { try await task.value }
}

import Foundation
import StoredValuesSupport

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

import Dispatch
import StoredValuesSupport

/// One call of a keyring whose work is done on a thread of the keyring's own, while a task waits for the answer.
///
/// The first of answer, deadline and cancellation counts; what comes later is dropped. Work that nobody waits for any
/// more is not begun, and may look at `isWanted` to stop early.
final class KeyringRequest<Answer: Sendable>: Sendable {
    private enum State {
        case new
        case waiting(CheckedContinuation<Result<Answer, KeyringError>, Never>)
        /// Ended, with the result if that came before anybody waited.
        case ended(Result<Answer, KeyringError>?)
    }

    private let state = Guarded(State.new)

    private init() {}

    /// Whether somebody still waits.
    private var isWanted: Bool {
        state.withLock { state in
            if case .ended = state { false } else { true }
        }
    }

    private func wait(with continuation: CheckedContinuation<Result<Answer, KeyringError>, Never>) {
        let early: Result<Answer, KeyringError>? = state.withLock { state in
            guard case .ended(let result) = state else {
                state = .waiting(continuation)
                return nil
            }
            return result
        }
        if let early { continuation.resume(returning: early) }
    }

    private func end(with result: Result<Answer, KeyringError>) {
        let continuation: CheckedContinuation<Result<Answer, KeyringError>, Never>? = state.withLock { state in
            switch state {
            case .new:
                state = .ended(result)
                return nil
            case .waiting(let continuation):
                state = .ended(nil)
                return continuation
            case .ended:
                return nil
            }
        }
        continuation?.resume(returning: result)
    }

    /// Does `work` on `queue` and waits for its answer, at most until `deadline` has passed or the task is cancelled.
    /// `work` is given the question whether its answer is still wanted.
    static func perform(
        on queue: DispatchQueue, deadline: Duration,
        _ work: @escaping @Sendable (_ isWanted: () -> Bool) throws(KeyringError) -> Answer
    ) async throws(KeyringError) -> Answer {
        let request = KeyringRequest()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                request.wait(with: continuation)
                // Weakly, so that an answered request and its secret do not stay until the deadline.
                keyringDeadlines.asyncAfter(deadline: .now() + deadline.dispatchInterval) { [weak request] in
                    request?.end(with: .failure(.timedOut(after: deadline)))
                }
                queue.async {
                    guard request.isWanted else { return }
                    do throws(KeyringError) {
                        request.end(with: .success(try work { request.isWanted }))
                    } catch {
                        request.end(with: .failure(error))
                    }
                }
            }
        } onCancel: {
            request.end(with: .failure(.cancelled))
        }
        return try result.get()
    }
}

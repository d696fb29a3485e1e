#if Libsecret
    import CSecret
    import Dispatch
    import StoredValuesSupport

    /// One call on one of the layer's threads, with a deadline and the caller's cancellation.
    ///
    /// The caller gets its answer from whatever comes first: the work, the deadline or the cancellation. The latter two
    /// also cancel the work, but do not wait for it: a call stuck behind another one, or in code that ignores its
    /// `GCancellable`, holds nobody up past the deadline.
    final class Call<Value: Sendable>: Sendable {
        private struct State {
            var continuation: CheckedContinuation<Result<Value, SecretServiceError>, Never>?
            var early: Result<Value, SecretServiceError>?
            var timer: Timer?
            var isFinished = false
        }

        private let state = Guarded(State())
        private let cancellable = Reference(owning: g_cancellable_new()!)  // GObject aborts rather than return nil

        /// Runs `work` on `queue` and returns its answer.
        ///
        /// Throws what `work` throws, ``SecretServiceError/timedOut`` after `deadline`, waiting in the queue included, and
        /// ``SecretServiceError/cancelled`` as soon as the task is cancelled. Work that has not begun by then never does.
        static func run(
            on queue: DispatchQueue,
            deadline: Duration,
            _ work: @escaping @Sendable (Cancellable) throws(SecretServiceError) -> Value
        ) async throws(SecretServiceError) -> Value {
            let call = Call()
            let answer = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    call.begin(continuation, on: queue, deadline: deadline, work)
                }
            } onCancel: {
                call.abandon(.cancelled)
            }
            return try answer.get()
        }

        private func begin(
            _ continuation: CheckedContinuation<Result<Value, SecretServiceError>, Never>,
            on queue: DispatchQueue,
            deadline: Duration,
            _ work: @escaping @Sendable (Cancellable) throws(SecretServiceError) -> Value
        ) {
            let timer = DispatchSource.makeTimerSource(queue: ServiceThread.deadlines)
            timer.setEventHandler { self.abandon(.timedOut(after: deadline)) }
            timer.schedule(deadline: .now() + deadline.dispatchInterval)
            timer.activate()
            let armed = Timer(source: timer)

            let began = ContinuousClock.now
            let early = state.withLock { state in
                state.continuation = continuation
                state.timer = armed
                return state.early
            }
            if let early { return resume(with: early) }  // cancelled before it began
            queue.async {
                guard !self.isFinished else { return }
                let answer: Result<Value, SecretServiceError>
                do throws(SecretServiceError) {
                    answer = .success(try work(self.cancellable.pointer))
                } catch {
                    answer = .failure(error.isLimitOfGDBus ? .timedOut(after: ContinuousClock.now - began) : error)
                }
                self.finish(answer)
            }
        }

        private var isFinished: Bool { state.withLock { $0.isFinished } }

        private func abandon(_ reason: SecretServiceError) {
            guard finish(.failure(reason)) else { return }
            // Not here: cancelling runs GLib's handlers, and this may be the caller's thread.
            ServiceThread.deadlines.async { g_cancellable_cancel(self.cancellable.pointer) }
        }

        /// Whether `answer` is the first one.
        @discardableResult
        private func finish(_ answer: Result<Value, SecretServiceError>) -> Bool {
            let isWaiting: Bool? = state.withLock { state in
                guard !state.isFinished else { return nil }
                state.isFinished = true
                if state.continuation == nil { state.early = answer }
                return state.continuation != nil
            }
            guard let isWaiting else { return false }
            if isWaiting { resume(with: answer) }
            return true
        }

        private func resume(with answer: Result<Value, SecretServiceError>) {
            let (continuation, timer) = state.withLock { state in
                defer { (state.continuation, state.timer, state.early) = (nil, nil, nil) }
                return (state.continuation, state.timer)
            }
            timer?.source.cancel()
            continuation?.resume(returning: answer)
        }
    }

    /// `@unchecked Sendable`: a Dispatch source may be cancelled from any thread (dispatch_source_cancel(3)), and once it is
    /// armed nothing else is done with it.
    private struct Timer: @unchecked Sendable {
        let source: any DispatchSourceTimer
    }

    /// What ends libsecret's and GDBus's blocking calls. Safe to use from any thread.
    typealias Cancellable = UnsafeMutablePointer<GCancellable>

    extension Duration {
        fileprivate var dispatchInterval: DispatchTimeInterval {
            let (seconds, attoseconds) = components
            guard seconds < 1_000_000 else { return .never }  // eleven days: nobody waits for that
            return .nanoseconds(Int(max(0, seconds * 1_000_000_000 + attoseconds / 1_000_000_000)))
        }
    }
#endif

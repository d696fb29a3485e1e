#if Store
    import Dispatch
    import StoredValues
    import StoredValuesSupport
    import Synchronization

    #if canImport(Glibc)
        import Glibc
    #else
        import Musl
    #endif

    /// Runs one turn after another, first come, first served.
    ///
    /// A turn may run user's code, an item's decoding or the closure of an update, which may want a turn: of the same file it runs inside the
    /// current one, of another file when that is free. Two threads that want each other's turn wait for the time of ``timeout``.
    final class Turns: Sendable {
        /// How long a turn waits, for others of this process or for other processes.
        static let timeout = Duration.seconds(5)

        struct TimedOut: Error {}

        private let now: @Sendable () -> Int64
        private let queue = DispatchQueue(label: "StoredValues.store")
        /// Marks the queue: what its work releases at its end may be a user's, whose `deinit` wants a turn there.
        private let isOnQueue = DispatchSpecificKey<Bool>()
        /// Open between turns. The queue alone could not be left when the time is up.
        private let gate = MonotonicSemaphore(count: 1)
        private let thread = Guarded<pthread_t?>(nil)
        /// For how long the turn may still wait for other processes, and when it was last asked whether it may, in nanoseconds.
        private let waiting = Guarded((left: Int64(0), lastAsked: Int64(0)))
        /// Whether the last turn waited in vain: then the next ones have no time of their own, or each of a hundred would wait for ``timeout``.
        private let wasLate = Atomic(false)
        /// What is to be done when the outermost turn of a thread has ended, whosever it is.
        private static let afterTurns = Guarded<[pthread_t: AfterUnlocking]>([:])

        init(now: @escaping @Sendable () -> Int64 = monotonicNanoseconds) {
            self.now = now
            queue.setSpecific(key: isOnQueue, value: true)
        }

        /// Whether the turn has to stop waiting for another process. Asked before each attempt of a wait, of which the first is 0: what passes
        /// between two waits, as in a user's code, is not waiting.
        func isLate(attempt: Int) -> Bool {
            let now = now()
            let isLate = waiting.withLock { waiting in
                if attempt > 0 { waiting.left -= now - waiting.lastAsked }
                waiting.lastAsked = now
                return waiting.left <= 0
            }
            if isLate { wasLate.store(true, ordering: .relaxed) }
            return isLate
        }

        /// Runs `body` in a turn, on this thread. What it puts into its argument is done when no turn is left on it.
        func run<Result>(_ body: (inout AfterUnlocking) throws -> Result) throws -> Result {
            let end = end()
            var later = AfterUnlocking()
            defer { Self.perform(later) }
            if thread.withLock({ $0 == pthread_self() }) { return try body(&later) }
            let isInAnother = Self.afterTurns.withLock { $0[pthread_self()] != nil }
            if isInAnother || DispatchQueue.getSpecific(key: isOnQueue) == true { return try pass(until: end, &later, body) }
            return try queue.sync { try pass(until: end, &later, body) }
        }

        /// The same without blocking a thread of the caller's. Throws `CancellationError` if the task is cancelled before the turn begins; once
        /// begun, it is finished.
        func run<Result: Sendable>(_ body: @escaping @Sendable (inout AfterUnlocking) throws -> Result) async throws -> Result {
            let end = end(), isCancelled = Guarded(false), scope = TemporaryScope.current
            let (result, later) = await withTaskCancellationHandler {
                await withCheckedContinuation { (task: CheckedContinuation<(Swift.Result<Result, any Error>, AfterUnlocking), Never>) in
                    queue.async { [self] in
                        var later = AfterUnlocking()
                        let result = Swift.Result {
                            try pass(until: end, &later) { later in
                                if isCancelled.withLock({ $0 }) { throw CancellationError() }
                                return try TemporaryScope.resume(scope) { try body(&later) }
                            }
                        }
                        task.resume(returning: (result, later))
                    }
                }
            } onCancel: {
                isCancelled.withLock { $0 = true }
            }
            later.run()
            return try result.get()
        }

        /// Does it at once, or when no turn is left on this thread.
        static func perform(_ later: AfterUnlocking) {
            if afterTurns.withLock({ $0[pthread_self()]?.append(later) == nil }) { later.run() }
        }

        private func end() -> Int64 { now() + Self.timeout.nanoseconds }

        private func pass<Result>(
            until end: Int64, _ later: inout AfterUnlocking, _ body: (inout AfterUnlocking) throws -> Result
        ) throws -> Result {
            let patience = max(0, end - now())
            guard gate.wait(until: monotonicNanoseconds() + patience) else { throw TimedOut() }
            let me = pthread_self()
            let isOutermost = Self.afterTurns.withLock { threads in
                defer { if threads[me] == nil { threads[me] = AfterUnlocking() } }
                return threads[me] == nil
            }
            thread.withLock { $0 = me }
            let begin = now(), left = wasLate.exchange(false, ordering: .relaxed) ? max(0, end - begin) : Self.timeout.nanoseconds
            waiting.withLock { $0 = (left: left, lastAsked: begin) }
            defer {
                thread.withLock { $0 = nil }
                if isOutermost, let others = Self.afterTurns.withLock({ $0.removeValue(forKey: me) }) { later.append(others) }
                gate.signal()
            }
            return try body(&later)
        }
    }
#endif

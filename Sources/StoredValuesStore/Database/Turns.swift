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
    /// A turn may run a user's code (decoding an item, or the closure of an update), which may need a turn itself: for the same file it runs
    /// inside the current one, for another file once that is free. Two threads that wait for each other's turn fail after ``timeout``.
    final class Turns: Sendable {
        /// How long a turn waits, for others of this process or for other processes.
        static let timeout = Duration.seconds(5)

        struct TimedOut: Error {}

        private let now: @Sendable () -> Int64
        private let queue = DispatchQueue(label: "StoredValues.store")
        /// Marks the queue: its work may release a user's object at its end, whose `deinit` needs a turn there.
        private let isOnQueue = DispatchSpecificKey<Bool>()
        /// Open between turns. A wait for the queue alone could not time out.
        private let gate = MonotonicSemaphore(count: 1)
        private let thread = Guarded<pthread_t?>(nil)
        /// For how long the turn may still wait for other processes, and when it was last asked whether it may, in nanoseconds.
        private let waiting = Guarded((left: Int64(0), lastAsked: Int64(0)))
        /// Whether the last turn timed out: then the next one has only the rest of its own time, or each of a hundred would wait for ``timeout``.
        private let wasLate = Atomic(false)
        /// What to do when the outermost turn of a thread has ended, whichever file it is for.
        private static let afterTurns = Guarded<[pthread_t: AfterUnlocking]>([:])

        init(now: @escaping @Sendable () -> Int64 = monotonicNanoseconds) {
            self.now = now
            queue.setSpecific(key: isOnQueue, value: true)
        }

        /// Whether the turn has to stop waiting for another process. Called before each attempt of a wait, counted from 0: the time between two
        /// waits, such as in a user's code, does not count.
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

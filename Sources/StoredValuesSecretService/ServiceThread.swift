#if Libsecret
    import CSecret
    import Dispatch
    import StoredValuesSupport

    /// The threads of this layer.
    ///
    /// libsecret's calls block, and gnome-keyring aborts when several sessions are negotiated at once, so all of the
    /// process's calls run one after the other on one thread. It is neither a thread of Swift's pool nor the caller's.
    enum ServiceThread {
        /// Where every call to libsecret runs. A serial queue without a target has a thread of its own while it works.
        static let calls = DispatchQueue(label: "StoredValues.SecretService.calls")

        /// Where a question to the user waits for its answer, which may take minutes; touches D-Bus only, not libsecret.
        static let questions = DispatchQueue(label: "StoredValues.SecretService.questions")

        /// Where calls are cancelled, which runs GLib's handlers: never behind a call, and never on a caller's thread.
        static let cancellations = DispatchQueue(label: "StoredValues.SecretService.cancellations")

        /// Runs `work` on `queue` and returns its answer.
        ///
        /// Throws what `work` throws, ``SecretServiceError/timedOut(after:)`` after `deadline`, waiting in the queue included, and
        /// ``SecretServiceError/cancelled`` as soon as the task is cancelled. The latter two also cancel the work, but do not
        /// wait for it: a call stuck behind another one, or in code that ignores its `GCancellable`, holds nobody up. Work that
        /// has not begun by then never does.
        static func perform<Answer: Sendable>(
            on queue: DispatchQueue = calls, deadline: Duration,
            _ work: @escaping @Sendable (Cancellable) throws(SecretServiceError) -> Answer
        ) async throws(SecretServiceError) -> Answer {
            let cancellable = Reference(owning: g_cancellable_new()!)  // GObject aborts rather than return nil
            let began = ContinuousClock.now
            return try await queue.perform(
                deadline: deadline, abandon: { cancellations.async { g_cancellable_cancel(cancellable.pointer) } }
            ) { _ throws(SecretServiceError) in
                do throws(SecretServiceError) {
                    return try work(cancellable.pointer)
                } catch {
                    throw error.isLimitOfGDBus ? .timedOut(after: ContinuousClock.now - began) : error
                }
            }
        }
    }

    extension SecretServiceError: WaitError {}

    /// What ends libsecret's and GDBus's blocking calls. Safe to use from any thread.
    typealias Cancellable = UnsafeMutablePointer<GCancellable>

    /// Runs `body` with `context`, mostly one of this layer, as the thread's default main context, and then empties it.
    ///
    /// GLib sends signals, and even the freeing of a subscription, to the context that was the default when it was made.
    /// In the process's main context they would pile up wherever no main loop runs.
    func withContext<Result, Failure>(
        _ context: OpaquePointer? = serviceContext, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        g_main_context_push_thread_default(context)
        defer {
            while g_main_context_iteration(context, 0) != 0 {}
            g_main_context_pop_thread_default(context)
        }
        return try body()
    }

    // A pointer that is set once; the context itself is entered by the service thread only.
    private nonisolated(unsafe) let serviceContext = g_main_context_new()
#endif

#if Libsecret
    import CSecret
    import Dispatch
    import StoredValuesSupport
    import Synchronization

    /// A main context that one thread waits in, and that any thread can stop.
    ///
    /// `@unchecked Sendable`: the context and its timer are used only by the waiting thread, except in `callOff`, which GLib
    /// allows from any thread.
    final class ListeningContext: @unchecked Sendable {
        private let context: OpaquePointer
        private let alarm: UnsafeMutablePointer<GSource>
        private let isOff = Atomic(false)
        private let cancellation = Reference(owning: g_cancellable_new()!)  // GObject aborts rather than return nil

        init() throws(SecretServiceError) {
            context = try makeContext()
            alarm = g_timeout_source_new(.max)
            g_source_set_callback(alarm, { _ in 1 }, nil, nil)  // it only needs to end a wait
            g_source_attach(alarm, context)
        }

        deinit {
            g_source_destroy(alarm)
            g_source_unref(alarm)
            g_main_context_unref(context)
        }

        /// Microseconds of a monotonic clock.
        static var now: Int64 { Int64(g_get_monotonic_time()) }

        /// Ends blocking calls on the waiting thread.
        var cancellable: Cancellable { cancellation.pointer }

        /// Whether waiting was stopped for good.
        var isCalledOff: Bool { isOff.load(ordering: .acquiring) }

        /// Stops waiting for good. Can be called on any thread: cancelling, which runs GLib's handlers, happens on another one.
        func callOff() {
            isOff.store(true, ordering: .releasing)
            g_main_context_wakeup(context)
            // A call under way usually ends soon. Cancelling it at the moment when it ends makes GLib 2.74 leak the call and
            // its connection (seen: 5 of 4,000), so only a hanging call is cancelled.
            ServiceThread.cancellations.async(after: Self.patience) { [weak self] in
                if let self { g_cancellable_cancel(cancellation.pointer) }
            }
        }

        /// How long an abandoned call may continue.
        private static let patience = Duration.seconds(5)

        /// Runs `body` with this as the thread's main context: signals subscribed to inside arrive here.
        func run(_ body: () -> Void) { withContext(context, body) }

        /// Waits for the next event, until `time` at the latest.
        func wait(until time: Int64?) {
            guard !isCalledOff else { return }
            g_source_set_ready_time(alarm, time.map { gint64($0) } ?? -1)
            g_main_context_iteration(context, 1)
        }
    }
#endif

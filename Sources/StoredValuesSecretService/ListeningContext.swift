#if Libsecret
    import CSecret
    import Dispatch
    import Synchronization

    /// A main context that one thread waits in, and that any thread can call off.
    ///
    /// `@unchecked Sendable`: the context and its alarm are used by the waiting thread only, but for `callOff`, which GLib
    /// allows from any thread.
    final class ListeningContext: @unchecked Sendable {
        private let context = g_main_context_new()!  // GLib aborts rather than return nil
        private let alarm: UnsafeMutablePointer<GSource>
        private let isOff = Atomic(false)
        private let cancellation = Reference(owning: g_cancellable_new()!)  // the same

        init() {
            alarm = g_timeout_source_new(.max)
            g_source_set_callback(alarm, { _ in 1 }, nil, nil)  // it need only end a wait
            g_source_attach(alarm, context)
        }

        deinit {
            g_source_destroy(alarm)
            g_source_unref(alarm)
            g_main_context_unref(context)
        }

        /// Microseconds of a clock that never goes back.
        static var now: Int64 { Int64(g_get_monotonic_time()) }

        /// Ends what blocks on the waiting thread.
        var cancellable: Cancellable { cancellation.pointer }

        /// Whether nobody wants anything to be waited for any more.
        var isCalledOff: Bool { isOff.load(ordering: .acquiring) }

        /// Ends the waiting for good. Can be called on any thread: what cancels, and so runs GLib's handlers, is another one.
        func callOff() {
            isOff.store(true, ordering: .releasing)
            g_main_context_wakeup(context)
            // A call under way mostly ends soon. To cancel it just when it ends makes GLib 2.74 keep the call and its connection
            // for ever (seen: 5 of 4,000), so that is left for one that hangs.
            ServiceThread.cancellations.asyncAfter(deadline: .now() + Self.patience) { [weak self] in
                if let self { g_cancellable_cancel(cancellation.pointer) }
            }
        }

        /// How long a call may go on that nobody waits for any more.
        private static let patience = DispatchTimeInterval.seconds(5)

        /// Runs `body` with this as the thread's main context: what is subscribed to inside comes here.
        func run(_ body: () -> Void) { withContext(context, body) }

        /// Waits for whatever happens next, until `time` at the latest.
        func wait(until time: Int64?) {
            guard !isCalledOff else { return }
            g_source_set_ready_time(alarm, time.map { gint64($0) } ?? -1)
            g_main_context_iteration(context, 1)
        }
    }
#endif

#if Libsecret
    import CSecret
    import Dispatch
    import StoredValuesSupport

    /// The threads of this layer, neither of Swift's pool nor the caller's. libsecret's calls block, and gnome-keyring aborts if
    /// several sessions are negotiated at once, so all calls of the process run one after another.
    enum ServiceThread {
        /// Runs every call to libsecret. A serial queue without a target has its own thread while it works.
        static let calls = DispatchQueue(label: "StoredValues.SecretService.calls")

        /// Waits for the user's answers to prompts, which may take minutes; uses only D-Bus, not libsecret.
        static let prompts = DispatchQueue(label: "StoredValues.SecretService.prompts")

        /// Cancels calls, which runs GLib's handlers: never behind a call, and never on a caller's thread.
        static let cancellations = DispatchQueue(label: "StoredValues.SecretService.cancellations")

        /// Runs `work` on `queue`. Throws `timedOut` after `deadline`, including the time in the queue, and `cancelled` as soon as
        /// the task is cancelled. Both also cancel the work, but do not wait for it: a call stuck behind another one, or in code
        /// that ignores its `GCancellable`, delays nobody. Work that has not begun by then never does.
        static func perform<Answer: Sendable>(
            on queue: DispatchQueue = calls, deadline: Duration,
            _ work: @escaping @Sendable () throws(SecretServiceError) -> Answer
        ) async throws(SecretServiceError) -> Answer {
            let cancellation = Cancellation()
            let began = ContinuousClock.now
            return try await queue.perform(
                deadline: deadline, abandon: { cancellations.async { cancellation.cancel() } }
            ) { _ throws(SecretServiceError) in
                do throws(SecretServiceError) {
                    try requireRoom()
                    return try cancellation.during(work)
                } catch {
                    throw error.isLimitOfGDBus ? .timedOut(after: .now - began) : error.isUndelivered ? .noSecretService : error
                }
            }
        }
    }

    extension SecretServiceError: WaitError {}

    /// Throws if something is not available without which GLib ends the process: a file descriptor for each main context, cancellable and
    /// connection (`g_wakeup_new`), and if it `isConnecting`, a thread. Call this before entering GLib.
    func requireRoom(isConnecting: Bool = false) throws(SecretServiceError) {
        do throws(SystemErrorCode) { try requireDescriptors(8) } catch {
            let advice = "close some files, or raise the limit (ulimit -n)"
            throw .other(domain: "system", code: Int(error.rawValue), message: "no file descriptor is left (errno \(error.rawValue)): \(advice)")
        }
        guard isConnecting else { return }
        do throws(SystemErrorCode) { try startThread(named: "probe") {} } catch { throw .withoutThread(error) }
    }

    /// Runs `body` with `context` as the thread's default main context, and then empties it. GLib sends signals, and even the release
    /// of a subscription, to what was the default when it was created. In the process's main context they would accumulate if no main
    /// loop runs.
    func withContext<Result, Failure>(
        _ context: OpaquePointer? = serviceContext, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        g_main_context_push_thread_default(context)
        defer {
            handleArrivedSignals()
            g_main_context_pop_thread_default(context)
        }
        return try body()
    }

    // The pointer is set once; only the service thread enters the context.
    private nonisolated(unsafe) let serviceContext = g_main_context_new()

    /// The same with a context of its own.
    func withNewContext<Result>(_ body: () throws(SecretServiceError) -> Result) throws(SecretServiceError) -> Result {
        try requireRoom()
        let context = g_main_context_new()
        defer { g_main_context_unref(context) }
        return try withContext(context, body)
    }

    /// Handles the signals that have arrived in this thread's main context, without waiting.
    func handleArrivedSignals() {
        let context = g_main_context_get_thread_default()
        while g_main_context_iteration(context, 0) != 0 {}
    }

    /// Handles the signals of this thread's main context until `isDone` or the thread's calls are cancelled. `isDone` is called after
    /// each signal, and at least every `pause` milliseconds. Call this inside ``Cancellation/during(_:)``.
    func waitForSignals(every pause: UInt32, until isDone: () -> Bool) {
        let context = g_main_context_get_thread_default(), cancellable = Cancellation.current
        let timer = g_timeout_source_new(pause)
        g_source_set_callback(timer, { _ in 1 }, nil, nil)  // it only needs to end a wait below
        g_source_attach(timer, context)
        // Not a source of the cancellable: a thread that cancels would go on to use the context of that source, which may have been freed by
        // then (GLib 2.74, its issue 803; seen as "corrupted double-linked list"). Disconnecting waits for that thread.
        let wake: @convention(c) (UnsafeMutablePointer<GCancellable>?, OpaquePointer?) -> Void = { g_main_context_wakeup($1) }
        // Sound: GLib calls every handler through this type, with the arguments of its signal, which are these.
        let handler = g_cancellable_connect(cancellable, unsafeBitCast(wake, to: GCallback.self), UnsafeMutableRawPointer(context), nil)
        defer {
            g_cancellable_disconnect(cancellable, handler)
            g_source_destroy(timer)
            g_source_unref(timer)
        }
        while !isDone(), !Cancellation.isCurrentCancelled { g_main_context_iteration(context, 1) }
    }

    /// Ends blocking calls of libsecret and GDBus. Thread-safe.
    typealias Cancellation = Reference<UnsafeMutablePointer<GCancellable>>

    extension Cancellation {
        convenience init() { self.init(owning: g_cancellable_new()!) }  // GObject aborts rather than return nil

        func cancel() { g_cancellable_cancel(pointer) }

        var isCancelled: Bool { g_cancellable_is_cancelled(pointer) != 0 }

        /// Runs `body`. Meanwhile, this cancels the blocking calls of this thread.
        func during<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
            g_cancellable_push_current(pointer)
            defer { g_cancellable_pop_current(pointer) }
            return try body()
        }

        /// Cancels the blocking calls of this thread; nil if nothing does. Every call to GLib that may block gets it.
        static var current: UnsafeMutablePointer<GCancellable>? { g_cancellable_get_current() }

        static var isCurrentCancelled: Bool { g_cancellable_is_cancelled(current) != 0 }
    }

    /// A counted reference to a GObject.
    ///
    /// `@unchecked Sendable`: GObject counts references atomically. `GCancellable` and `GDBusConnection` are thread-safe, as GLib documents;
    /// a message that was sent is only read; everything else is used by one thread.
    final class Reference<Object>: @unchecked Sendable {
        let pointer: Object

        /// Takes over one count.
        init(owning pointer: Object) { self.pointer = pointer }

        deinit {
            // Sound: Object is a pointer type, whichever kind Swift imports the C type as; all are one address.
            g_object_unref(unsafeBitCast(pointer, to: UnsafeMutableRawPointer.self))
        }
    }

    /// Throws the error that a call reports through a `GError`. The result of a failed call need not be released.
    @discardableResult
    func checked<Result>(
        _ call: (UnsafeMutablePointer<UnsafeMutablePointer<GError>?>) -> Result
    ) throws(SecretServiceError) -> Result {
        var error: UnsafeMutablePointer<GError>?
        let result = call(&error)
        guard let error else { return result }
        defer { g_error_free(error) }
        throw SecretServiceError(error)
    }

    /// Like `checked`, for calls whose result is a pointer that is never nil without an error.
    func checkedPointer<Result>(
        _ call: (UnsafeMutablePointer<UnsafeMutablePointer<GError>?>) -> Result?
    ) throws(SecretServiceError) -> Result {
        guard let result = try checked(call) else {
            throw .other(domain: "stored-values", code: 0, message: "libsecret returned neither a result nor an error")
        }
        return result
    }
#endif

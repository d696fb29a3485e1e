import CAdwaita

/// What a signal calls.
private final class Handler: Sendable {
    let body: @MainActor () -> Void
    init(_ body: @escaping @MainActor () -> Void) { self.body = body }
}

/// Calls `body` at each signal of this name, such as `clicked` or `notify::active`, as long as the object lives. Not for signals that want an
/// answer, such as `close-request`.
@MainActor
func connect(_ object: UnsafeMutableRawPointer, _ signal: String, _ body: @escaping @MainActor () -> Void) {
    let call: @convention(c) (UnsafeMutableRawPointer) -> Void = { handler in
        let handler = Unmanaged<Handler>.fromOpaque(handler).takeUnretainedValue()
        MainActor.assumeIsolated { handler.body() }  // GTK calls on the thread that runs its loop
    }
    let release: GClosureNotify = { handler, _ in handler.map { Unmanaged<Handler>.fromOpaque($0).release() } }
    // What G_CALLBACK does in C: GLib calls it with the signal's arguments. Swapped, the handler is the first one, and the others, of
    // which each signal has its own, are left alone, as where C connects `gtk_window_destroy`.
    let callback = unsafeBitCast(call, to: GCallback.self)
    g_signal_connect_data(object, signal, callback, Unmanaged.passRetained(Handler(body)).toOpaque(), release, G_CONNECT_SWAPPED)
}

#if Libsecret
    import CSecret

    /// A prompt of the service, shown to the person; asked on the thread for questions, so that no call waits behind it.
    /// Talks D-Bus directly: libsecret's own waiting for a prompt cannot be ended.
    struct UnlockQuestion: Sendable {
        let daemon: Daemon
        let prompt: String

        /// Shows the prompt and waits for the answer. Throws `dismissed`, and `cancelled` when `cancellable` is.
        func ask(_ cancellable: Cancellable) throws(SecretServiceError) {
            let context = g_main_context_new()
            g_main_context_push_thread_default(context)
            defer {
                while g_main_context_iteration(context, 0) != 0 {}  // frees the subscription
                g_main_context_pop_thread_default(context)
                g_main_context_unref(context)
            }

            let answer = Answer()
            let subscription = g_dbus_connection_signal_subscribe(
                daemon.bus.pointer, daemon.name, "org.freedesktop.Secret.Prompt", "Completed", prompt, nil, G_DBUS_SIGNAL_FLAGS_NONE,
                { _, _, _, _, _, parameters, answer in
                    guard let parameters, let answer else { return }
                    Unmanaged<Answer>.fromOpaque(answer).takeUnretainedValue().isDismissed =
                        Variant(owning: g_variant_ref(parameters)).child(0).boolean ?? true
                },
                // GLib keeps one count until the subscription is freed, so the pointer outlives every signal.
                Unmanaged.passRetained(answer).toOpaque(),
                { Unmanaged<Answer>.fromOpaque($0!).release() }
            )
            defer { g_dbus_connection_signal_unsubscribe(daemon.bus.pointer, subscription) }

            let wake = g_cancellable_source_new(cancellable)
            g_source_set_callback(wake, { _ in 0 }, nil, nil)  // it need only end the wait below
            g_source_attach(wake, context)
            defer {
                g_source_destroy(wake)
                g_source_unref(wake)
            }

            let show = Message(
                destination: daemon.name, path: prompt, interface: "org.freedesktop.Secret.Prompt", method: "Prompt",
                arguments: [.string("")]
            )
            do {
                _ = try show.send(on: daemon.bus.pointer, cancellable)
                while answer.isDismissed == nil, g_cancellable_is_cancelled(cancellable) == 0 {
                    g_main_context_iteration(context, 1)
                }
            } catch .cancelled {
                // Falls through to the dismissal.
            }
            guard let isDismissed = answer.isDismissed else {
                dismiss()
                throw .cancelled
            }
            if isDismissed { throw .dismissed }
        }

        /// Takes the prompt away, or drops it if it was never shown; the service keeps it otherwise until the connection closes.
        func dismiss() {
            Message(
                destination: daemon.name, path: prompt, interface: "org.freedesktop.Secret.Prompt", method: "Dismiss",
                arguments: []
            ).sendAndForget(on: daemon.bus.pointer)
        }

        private final class Answer {
            var isDismissed: Bool?
        }
    }
#endif

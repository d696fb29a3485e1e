#if Libsecret
    import CSecret

    /// A prompt of the service, which stands between a request and its fulfilment. It may put a question to the person.
    /// Talks D-Bus directly: libsecret's own waiting for a prompt cannot be ended.
    ///
    /// Never sends `Dismiss`: while a question to unlock is on the screen, of whichever program, gnome-keyring ends itself
    /// when any prompt is dismissed (42.1, `perform_next_unlock: assertion failed: (!self->current)`).
    struct Prompt: Sendable {
        let daemon: Daemon
        let path: String

        /// Performs the prompt and waits for its end. Throws `dismissed`, `noSecretService` when the daemon or its bus goes
        /// meanwhile, and `cancelled` when `cancellable` is.
        func perform(_ cancellable: Cancellable) throws(SecretServiceError) {
            let context = g_main_context_new()
            g_main_context_push_thread_default(context)
            defer {
                while g_main_context_iteration(context, 0) != 0 {}  // frees the subscriptions
                g_main_context_pop_thread_default(context)
                g_main_context_unref(context)
            }
            switch try wait(in: context, cancellable) {
            case .done: return
            case .dismissed: throw .dismissed
            case .daemonGone: throw .noSecretService
            case nil: throw .cancelled
            }
        }

        /// Nil when `cancellable` ended the wait.
        private func wait(in context: OpaquePointer?, _ cancellable: Cancellable) throws(SecretServiceError) -> Outcome? {
            let answer = Answer()
            let completed = SignalSubscription(
                on: daemon.bus, to: "org.freedesktop.Secret.Prompt", of: daemon.name, member: "Completed", path: path
            ) { _, parameters in
                answer.outcome = parameters.child(0).boolean == false ? .done : .dismissed
            }
            let owner = SignalSubscription.owner(of: daemon.name, on: daemon.bus) { owner in
                if owner == nil, answer.outcome == nil { answer.outcome = .daemonGone }
            }
            defer { withExtendedLifetime((completed, owner)) {} }
            let wakers = [g_cancellable_source_new(cancellable), g_timeout_source_new(1000)]
            for waker in wakers {
                g_source_set_callback(waker, { _ in 1 }, nil, nil)  // it need only end a wait below
                g_source_attach(waker, context)
            }
            defer {
                for waker in wakers {
                    g_source_destroy(waker)
                    g_source_unref(waker)
                }
            }

            let show = Message(
                destination: daemon.name, path: path, interface: "org.freedesktop.Secret.Prompt", method: "Prompt",
                arguments: [.string("")]
            )
            do {
                _ = try show.send(on: daemon.bus.pointer, cancellable)
            } catch .cancelled {
                return nil
            } catch where error.isUndelivered || error.isBroken {
                return .daemonGone
            }
            while answer.outcome == nil, g_cancellable_is_cancelled(cancellable) == 0 {
                g_main_context_iteration(context, 1)
                if g_dbus_connection_is_closed(daemon.bus.pointer) != 0 { return .daemonGone }
            }
            return answer.outcome
        }

        private enum Outcome {
            case done
            case dismissed
            case daemonGone
        }

        private final class Answer {
            var outcome: Outcome?
        }
    }
#endif

#if Libsecret
    import CSecret

    /// A subscription to signals, as long as this exists.
    final class SignalSubscription {
        private let bus: BusConnection
        private let number: guint

        /// Calls `handle` with the member and the parameters of each matching signal from `sender`, on the thread that iterates
        /// what was the default main context when this was created. `argument` is the signal's first one. The type of the
        /// parameters is up to the sender.
        init(
            on bus: BusConnection, to interface: String, of sender: String, member: String? = nil,
            path: String? = nil, argument: String? = nil, _ handle: @escaping (String, Variant) -> Void
        ) {
            self.bus = bus
            number = g_dbus_connection_signal_subscribe(
                bus.pointer, sender, interface, member, path, argument, G_DBUS_SIGNAL_FLAGS_NONE,
                { _, _, _, _, member, parameters, handler in
                    guard let member, let parameters, let handler else { return }
                    Unmanaged<Handler>.fromOpaque(handler).takeUnretainedValue()
                        .handle(String(cString: member), Variant(owning: g_variant_ref(parameters)))
                },
                // GLib keeps one count until the subscription is freed, so the pointer outlives every signal.
                Unmanaged.passRetained(Handler(handle)).toOpaque(),
                { Unmanaged<Handler>.fromOpaque($0!).release() }
            )
        }

        deinit { g_dbus_connection_signal_unsubscribe(bus.pointer, number) }

        /// Calls `handle` with the new owner of `name`, or with nil if there is none any more.
        static func owner(of name: String, on bus: BusConnection, _ handle: @escaping (String?) -> Void) -> SignalSubscription {
            SignalSubscription(
                on: bus, to: "org.freedesktop.DBus", of: "org.freedesktop.DBus", member: "NameOwnerChanged", argument: name
            ) { _, parameters in
                guard parameters.has(type: "(sss)") else { return }
                let owner = parameters.child(2).string
                handle(g_dbus_is_unique_name(owner) != 0 ? owner : nil)
            }
        }

        private final class Handler {
            let handle: (String, Variant) -> Void
            init(_ handle: @escaping (String, Variant) -> Void) { self.handle = handle }
        }
    }

    /// Handles signals, on the thread whose main context is `context`, until `isDone`, `bus` closes or `cancellable` is
    /// cancelled.
    func waitForSignals(
        in context: OpaquePointer?, on bus: BusConnection, _ cancellable: Cancellable, until isDone: () -> Bool
    ) {
        // The second one because there is no signal for a bus that closes.
        let wakers = [g_cancellable_source_new(cancellable), g_timeout_source_new(1000)]
        for waker in wakers {
            g_source_set_callback(waker, { _ in 1 }, nil, nil)  // it only needs to end a wait below
            g_source_attach(waker, context)
        }
        defer {
            for waker in wakers {
                g_source_destroy(waker)
                g_source_unref(waker)
            }
        }
        while !isDone(), !bus.isClosed, g_cancellable_is_cancelled(cancellable) == 0 {
            g_main_context_iteration(context, 1)
        }
    }
#endif

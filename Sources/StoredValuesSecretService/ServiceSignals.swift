#if Libsecret
    /// The signals of the Secret Service's program on one connection. They arrive while the thread that created this waits in
    /// its main context.
    final class ServiceSignals {
        /// A separate connection: a message that closes the connection of calls does not affect it.
        private let bus: BusConnection
        private var subscriptions: [SignalSubscription] = []
        /// Shared with the handlers, which GLib may retain for a while after this is released.
        private let heard = Heard()

        private final class Heard {
            var owner: String?
            var burst = SignalBurst()
        }

        /// Subscribes. Every later change is seen.
        init(on bus: Bus, _ cancellable: Cancellable) throws(SecretServiceError) {
            self.bus = try BusConnection(to: bus, cancellable)
            subscribe(to: "org.freedesktop.Secret.Collection") { _, _ in .items }
            subscribe(to: "org.freedesktop.Secret.Service") { _, _ in .locks }
            subscribe(to: "org.freedesktop.DBus.Properties") { _, parameters in
                guard parameters.has(type: "(sa{sv}as)"), parameters.child(0).string == "org.freedesktop.Secret.Collection"
                else { return nil }
                return parameters.child(1).keys.contains("Locked") ? .locks : .items
            }
            // KWallet has no other signal for an opened wallet.
            subscribe(to: "org.kde.KWallet") { member, _ in member.hasPrefix("wallet") ? .locks : nil }
            subscriptions.append(
                .owner(of: Daemon.wellKnownName, on: self.bus) { [heard] owner in
                    heard.owner = owner
                    heard.burst.note(.locks, at: ListeningContext.now)
                })
            // The bus answers in order: after this answer the subscriptions are active.
            heard.owner = try Daemon.running(on: self.bus, cancellable)?.name
        }

        /// The current daemon, as far as signals tell.
        var daemon: Daemon? { heard.owner.map { Daemon(bus: bus, name: $0) } }

        /// Whether the bus is closed.
        var isClosed: Bool { bus.isClosed }

        /// When the current burst ends unless another signal follows; nil if there is none.
        var endOfBurst: Int64? { heard.burst.end }

        /// The last burst, if it is over.
        func takeBurst() -> SignalBurst? { heard.burst.take(at: ListeningContext.now) }

        /// Subscribes to the service's signals of `interface`; `matter` returns what a signal is about, from its member and
        /// parameters.
        private func subscribe(to interface: String, _ matter: @escaping (String, Variant) -> SignalBurst.Matter?) {
            subscriptions.append(
                SignalSubscription(on: bus, to: interface, of: Daemon.wellKnownName) { [heard] member, parameters in
                    guard let matter = matter(member, parameters) else { return }
                    heard.burst.note(matter, at: ListeningContext.now)
                })
        }
    }
#endif

#if Libsecret
    /// The signals of whatever provides the Secret Service on one connection. They come while the thread that made this
    /// waits in its main context.
    final class ServiceSignals {
        /// A connection of its own: a message that costs calls their connection does not make us deaf.
        private let bus: BusConnection
        private var subscriptions: [SignalSubscription] = []
        /// Shared with the handlers, which GLib may keep for a while after this is gone.
        private let heard = Heard()

        private final class Heard {
            var owner: String?
            var burst = SignalBurst()
        }

        /// Subscribes. Every change from then on is heard.
        init(on bus: Bus, _ cancellable: Cancellable) throws(SecretServiceError) {
            self.bus = try BusConnection(to: bus, cancellable)
            subscribe(to: "org.freedesktop.Secret.Collection") { _, _ in .items }
            subscribe(to: "org.freedesktop.Secret.Service") { _, _ in .locks }
            subscribe(to: "org.freedesktop.DBus.Properties") { _, parameters in
                guard parameters.has(type: "(sa{sv}as)"), parameters.child(0).string == "org.freedesktop.Secret.Collection"
                else { return nil }
                return parameters.child(1).keys.contains("Locked") ? .locks : .items
            }
            // KWallet says in no other way that a wallet was opened.
            subscribe(to: "org.kde.KWallet") { member, _ in member.hasPrefix("wallet") ? .locks : nil }
            subscriptions.append(
                .owner(of: Daemon.wellKnownName, on: self.bus) { [heard] owner in
                    heard.owner = owner
                    heard.burst.note(.locks, at: ListeningContext.now)
                })
            // The bus answers in order: with this answer the subscriptions are in force.
            heard.owner = try Daemon.running(on: self.bus, cancellable)?.name
        }

        /// The daemon there is, as far as was heard.
        var daemon: Daemon? { heard.owner.map { Daemon(bus: bus, name: $0) } }

        /// Whether the bus has gone.
        var isClosed: Bool { bus.isClosed }

        /// When the burst that is going on ends, if none follows; nil when there is none.
        var endOfBurst: Int64? { heard.burst.end }

        /// The last burst, if it is over.
        func takeBurst() -> SignalBurst? { heard.burst.take(at: ListeningContext.now) }

        /// Notes the service's signals of `interface`, by what `matter` says that one is about, given its member and parameters.
        private func subscribe(to interface: String, _ matter: @escaping (String, Variant) -> SignalBurst.Matter?) {
            subscriptions.append(
                SignalSubscription(on: bus, to: interface, of: Daemon.wellKnownName) { [heard] member, parameters in
                    guard let matter = matter(member, parameters) else { return }
                    heard.burst.note(matter, at: ListeningContext.now)
                })
        }
    }
#endif

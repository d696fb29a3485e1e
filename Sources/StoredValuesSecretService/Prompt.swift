#if Libsecret
    import CSecret

    /// A prompt of the service, required before a request is fulfilled. It may ask the user. libsecret's own implementation is
    /// not used, because its waiting cannot be ended.
    struct Prompt: Sendable {
        let daemon: Daemon
        let path: ObjectPath

        private static let interface = "org.freedesktop.Secret.Prompt"

        /// The prompt at `path`; nil for the path by which a service says that there is none.
        init?(daemon: Daemon, path: ObjectPath) {
            guard path != .nowhere else { return nil }
            self.daemon = daemon
            self.path = path
        }

        /// Performs the prompt, waits for its end, and returns its result. Throws `dismissed`, `noSecretService` if the daemon
        /// or its bus ends meanwhile, and `cancelled` if `cancellable` is.
        @discardableResult
        func perform(_ cancellable: Cancellable) throws(SecretServiceError) -> Variant {
            let context = try makeContext()
            defer { g_main_context_unref(context) }
            let outcome = try withContext(context) { () throws(SecretServiceError) in try wait(in: context, cancellable) }
            switch outcome {
            case .done(let completion): return try completion.checked("(bv)", as: "Prompt").child(1)
            case .dismissed: throw .dismissed
            case .daemonGone: throw .noSecretService
            case nil: throw .cancelled
            }
        }

        /// Nil if `cancellable` ended the wait.
        private func wait(in context: OpaquePointer?, _ cancellable: Cancellable) throws(SecretServiceError) -> Outcome? {
            var outcome: Outcome?
            let completed = SignalSubscription(
                on: daemon.bus, to: Self.interface, of: daemon.name, member: "Completed", path: path.text
            ) { _, parameters in
                let isDismissed = parameters.has(type: "(bv)") && parameters.child(0).boolean
                outcome = isDismissed ? .dismissed : .done(parameters)
            }
            let owner = SignalSubscription.owner(of: daemon.name, on: daemon.bus) { owner in
                if owner == nil, outcome == nil { outcome = .daemonGone }
            }
            defer { withExtendedLifetime((completed, owner)) {} }

            do {
                _ = try daemon.call("Prompt", of: Self.interface, at: path, [.string("")], reply: "()", cancellable)
            } catch .cancelled {
                return nil
            } catch where error.isUndelivered || error.isBroken {
                return .daemonGone
            }
            waitForSignals(in: context, on: daemon.bus, cancellable) { outcome != nil }
            return outcome ?? (daemon.bus.isClosed ? .daemonGone : nil)
        }

        /// Closes the user's prompt, only for KWallet and KeePassXC.
        ///
        /// While an unlock prompt of any program is on the screen, gnome-keyring aborts when any prompt is dismissed (42.1,
        /// `perform_next_unlock: assertion failed: (!self->current)`). Its prompt stays open until the user answers.
        func dismissIfSafe() {
            let isSafe = ["org.kde.kwalletd5", "org.kde.kwalletd6", Daemon.nameOfKeePassXC].contains { name in
                (try? daemon.owns(name, nil)) ?? false
            }
            guard isSafe else { return }
            daemon.bus.send("Dismiss", of: Self.interface, at: path, to: daemon.name)
        }

        private enum Outcome {
            /// With the signal's parameters, whose type is not checked yet.
            case done(Variant)
            case dismissed
            case daemonGone
        }
    }
#endif

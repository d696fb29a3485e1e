#if Libsecret
    import CSecret

    /// libsecret's session with a daemon, in which secrets travel: encrypted, unless the daemon refuses that.
    final class CipherSession {
        private let service: Reference<UnsafeMutablePointer<CSecret.SecretService>>

        /// Asks the daemon nothing yet. To be made once for each connection.
        init(with daemon: Daemon, _ cancellable: Cancellable) throws(SecretServiceError) {
            SessionGuard.stand(on: daemon.bus)
            service = Reference(
                owning: try checkedPointer {
                    stored_values_service_new(sessionService, daemon.bus.pointer, daemon.name, cancellable, $0)
                })
        }

        /// The path of the session, which is opened first if it is not.
        func path(_ cancellable: Cancellable) throws(SecretServiceError) -> ObjectPath {
            if let path = openPath { return path }
            do {
                _ = try checked { secret_service_ensure_session_sync(service.pointer, cancellable, $0) }
            } catch where error.isRefusedKey {
                throw .unusableSession
            }
            guard let path = openPath else { throw .unusableSession }
            return path
        }

        private var openPath: ObjectPath? {
            secret_service_get_session_dbus_path(service.pointer).flatMap { ObjectPath(String(cString: $0)) }
        }

        /// Whether the daemon refused to encrypt, so that secrets cross the bus as they are. False before it was asked.
        var isPlain: Bool {
            secret_service_get_session_algorithms(service.pointer).map { String(cString: $0) } == "plain"
        }

        /// The secret for the daemon.
        func encrypt(_ secret: SecretBytes, _ cancellable: Cancellable) throws(SecretServiceError) -> Variant {
            _ = try path(cancellable)
            guard let encrypted = secret_service_encode_dbus_secret(service.pointer, secret.pointer) else {
                throw .unusableSession
            }
            return Variant(owning: encrypted)
        }

        /// The secret of `item`.
        func secret(of item: Item, _ cancellable: Cancellable) throws(SecretServiceError) -> SecretBytes {
            // Its type was checked, on which libsecret relies.
            let encrypted = try item.secret(in: path(cancellable), cancellable)
            guard let secret = secret_service_decode_dbus_secret(service.pointer, encrypted.pointer) else {
                throw .unusableSession
            }
            return SecretBytes(owning: secret)
        }
    }
#endif

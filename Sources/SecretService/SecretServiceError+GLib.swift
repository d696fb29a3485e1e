#if Libsecret
    import CSecret

    extension SecretServiceError {
        /// What a `GError` says, in this layer's terms; its own words where there is no term for it.
        init(_ error: UnsafeMutablePointer<GError>) {
            let domain = error.pointee.domain
            let code = Int(error.pointee.code)
            switch (domain, code) {
            case (g_io_error_quark(), Int(G_IO_ERROR_CANCELLED.rawValue)):
                self = .cancelled
            case (secret_error_get_quark(), Int(SECRET_ERROR_IS_LOCKED.rawValue)):
                self = .locked
            case (g_dbus_error_quark(), Int(G_DBUS_ERROR_ACCESS_DENIED.rawValue)), (ownDomain, OwnCode.accessDenied.rawValue):
                self = .accessDenied
            case (ownDomain, OwnCode.dismissed.rawValue):
                self = .dismissed
            default:
                g_dbus_error_strip_remote_error(error)
                self = .other(
                    domain: g_quark_to_string(domain).map { String(cString: $0) } ?? "unknown",
                    code: code,
                    message: error.pointee.message.map { String(cString: $0) } ?? "no message"
                )
            }
        }

        /// The error as libsecret carries it from our code, which it calls, to our code, which calls it.
        var forGLib: UnsafeMutablePointer<GError> {
            switch self {
            case .accessDenied: g_error_new_literal(ownDomain, gint(OwnCode.accessDenied.rawValue), "refused")
            case .dismissed: g_error_new_literal(ownDomain, gint(OwnCode.dismissed.rawValue), "dismissed")
            case .cancelled: g_error_new_literal(g_io_error_quark(), gint(G_IO_ERROR_CANCELLED.rawValue), "cancelled")
            case .other(let domain, let code, let message):
                g_error_new_literal(g_quark_from_string(domain), gint(code), message)
            default:  // the service went: whether it did what was asked is not known
                g_error_new_literal(g_dbus_error_quark(), gint(G_DBUS_ERROR_NO_REPLY.rawValue), "\(self)")
            }
        }

        /// The object that was asked is not there: the item went meanwhile, the collection does not exist.
        /// gnome-keyring answers with code 19, KeePassXC and KWallet with 41, libsecret itself with its own.
        var isMissingObject: Bool {
            isDBus(G_DBUS_ERROR_UNKNOWN_METHOD) || isDBus(G_DBUS_ERROR_UNKNOWN_OBJECT) || isMissingItem
        }

        /// As `isMissingObject`, said by libsecret after the service itself had answered well.
        var isMissingItem: Bool {
            isOther(secret_error_get_quark(), Int(SECRET_ERROR_NO_SUCH_OBJECT.rawValue))
        }

        /// The bus had nobody to give the message to, so nothing was done.
        var isUndelivered: Bool {
            isDBus(G_DBUS_ERROR_SERVICE_UNKNOWN) || isDBus(G_DBUS_ERROR_NAME_HAS_NO_OWNER)
        }

        /// The bus or the service went away; whether the message arrived is not known.
        var isBroken: Bool {
            isDBus(G_DBUS_ERROR_NO_REPLY) || isDBus(G_DBUS_ERROR_DISCONNECTED)
                || isOther(g_io_error_quark(), Int(G_IO_ERROR_CLOSED.rawValue))
                || isOther(g_io_error_quark(), Int(G_IO_ERROR_BROKEN_PIPE.rawValue))
        }

        /// Lets GLib tell `isWithoutSession`. To be called before the first call that may fail so: libsecret takes the name out
        /// of errors that GLib has no code for.
        static func registerNames() { _ = ownDomain }

        /// The service does not know our session (any more), so nothing was done: a secret is sent in a session.
        var isWithoutSession: Bool {
            isOther(ownDomain, OwnCode.noSession.rawValue)
        }

        /// No reply came within GDBus's own limit, which is 25 s where libsecret sends the message, whatever our deadline.
        var isLimitOfGDBus: Bool {
            isOther(g_io_error_quark(), Int(G_IO_ERROR_TIMED_OUT.rawValue)) || isDBus(G_DBUS_ERROR_TIMEOUT)
                || isDBus(G_DBUS_ERROR_TIMED_OUT)
        }

        private func isDBus(_ code: GDBusError) -> Bool {
            isOther(g_dbus_error_quark(), Int(code.rawValue))
        }

        private func isOther(_ domain: GQuark, _ code: Int) -> Bool {
            guard case .other(let name, code, _) = self else { return false }
            return g_quark_to_string(domain).map { String(cString: $0) } == name
        }
    }

    private let ownDomain: GQuark = {
        let domain = g_quark_from_string("stored-values-secret-service-error")
        g_dbus_error_register_error(domain, gint(OwnCode.noSession.rawValue), "org.freedesktop.Secret.Error.NoSession")
        return domain
    }()

    private enum OwnCode: Int {
        case accessDenied
        case dismissed
        case noSession
    }
#endif

#if Libsecret
    import CSecret
    import Glibc

    /// Which bus the Secret Service is sought on.
    package enum Bus: Hashable, Sendable {
        /// The session bus that the environment names.
        case session
        /// The bus at this D-Bus address, whatever the environment says.
        case address(String)

        /// The address to connect to, found without touching libsecret, which would try to launch a bus by itself.
        ///
        /// Throws ``SecretServiceError/noSessionBus`` when the environment names none.
        package func resolve() throws(SecretServiceError) -> String {
            switch self {
            case .address(let address):
                return address
            case .session:
                if let address = environment("DBUS_SESSION_BUS_ADDRESS") { return address }
                guard let folder = environment("XDG_RUNTIME_DIR"), isSocket("\(folder)/bus") else { throw .noSessionBus }
                guard let escaped = g_dbus_address_escape_value("\(folder)/bus") else { throw .noSessionBus }
                defer { g_free(escaped) }
                return "unix:path=\(String(cString: escaped))"
            }
        }
    }

    private func environment(_ name: String) -> String? {
        guard let value = g_getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    private func isSocket(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }
#endif

#if Libsecret
    import CSecret
    import Glibc
    import StoredValuesSupport

    /// The bus of the Secret Service.
    package enum Bus: Hashable, Sendable {
        /// The session bus of the environment.
        case session
        /// The bus at this D-Bus address, whatever the environment says.
        case address(String)

        /// The address to connect to, found without libsecret, which would try to launch a bus.
        ///
        /// Throws ``SecretServiceError/noSessionBus`` if the environment names none.
        package func resolve() throws(SecretServiceError) -> String {
            if case .address(let address) = self { return address }
            if let address = try environment("DBUS_SESSION_BUS_ADDRESS") { return address }
            guard let folder = try environment("XDG_RUNTIME_DIR"), isSocket("\(folder)/bus"),
                let escaped = g_dbus_address_escape_value("\(folder)/bus")
            else { throw .noSessionBus }
            defer { g_free(escaped) }
            return "unix:path=\(String(cString: escaped))"
        }
    }

    /// The value of an environment variable; nil if it is empty or not set. Throws if it is not UTF-8.
    private func environment(_ name: String) throws(SecretServiceError) -> String? {
        do { return try environmentVariable(name).flatMap { $0.isEmpty ? nil : $0 } } catch { throw .noSessionBus }
    }

    private func isSocket(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }
#endif

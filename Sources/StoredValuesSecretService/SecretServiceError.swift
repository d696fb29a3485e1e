#if Libsecret
    import CSecret

    /// Why the Secret Service gave no answer. Every failure of this layer is one of these; none contains a secret.
    package enum SecretServiceError: Error, Hashable, Sendable {
        /// No session bus: none is named, or the named one does not answer.
        case noSessionBus
        /// No program on the bus owns `org.freedesktop.secrets`, and none can be started.
        case noSecretService
        /// There is no default collection, or it no longer exists.
        case noDefaultCollection
        case locked
        case dismissed
        /// The service refused, or would prompt the user first.
        case accessDenied
        /// This time passed, in the queue or on the bus.
        case timedOut(after: Duration)
        case cancelled
        /// Another error, in GLib's words.
        case other(domain: String, code: Int, message: String)
    }

    extension SecretServiceError {
        /// The case for a `GError`, or `other` with the error's own text.
        init(_ error: UnsafeMutablePointer<GError>) {
            let domain = error.pointee.domain, code = Int(error.pointee.code)
            let isRemote = g_dbus_error_is_remote_error(error) != 0
            g_dbus_error_strip_remote_error(error)
            // Limited, because another process may send megabytes.
            let text = error.pointee.message.map { String(String(cString: $0).unicodeScalars.prefix(1000)) } ?? "no message"
            switch (domain, code) {
            case (g_io_error_quark(), Int(G_IO_ERROR_CANCELLED.rawValue)) where !isRemote: self = .cancelled
            case (secret_error_get_quark(), Int(SECRET_ERROR_IS_LOCKED.rawValue)): self = .locked
            case (g_dbus_error_quark(), Int(G_DBUS_ERROR_ACCESS_DENIED.rawValue)): self = .accessDenied
            case (ownDomain, OwnCode.wrongAnswer.rawValue): self = .wrongAnswer(text)
            default: self = .other(domain: g_quark_to_string(domain).map { String(cString: $0) } ?? "unknown", code: code, message: text)
            }
        }

        /// The answer to `question` has another type than its interface specifies.
        static func wrongAnswer(to question: String, type: String, expected: String) -> SecretServiceError {
            wrongAnswer("the keyring's program answered \(question) with \(type) instead of \(expected)")
        }

        private static func wrongAnswer(_ message: String) -> SecretServiceError {
            .other(domain: "stored-values", code: 4, message: message)
        }

        /// The service, or another owner of its name, violates its interface.
        var isWrongAnswer: Bool {
            if case .other("stored-values", 4, _) = self { true } else { false }
        }

        static let nameOfWrongAnswer = "StoredValues.WrongAnswer"

        /// The item or collection does not exist. gnome-keyring answers with code 19, KeePassXC and KWallet with 41.
        var isMissingObject: Bool {
            !isWithoutSession
                && (isDBus(G_DBUS_ERROR_UNKNOWN_METHOD, G_DBUS_ERROR_UNKNOWN_OBJECT)
                    || isOther(secret_error_get_quark(), Int(SECRET_ERROR_NO_SUCH_OBJECT.rawValue)))
        }

        /// The recipient does not know the interface: xdg-desktop-portal 1.16 answers with code 19 if no program implements it.
        var isUnknownInterface: Bool { isDBus(G_DBUS_ERROR_UNKNOWN_METHOD, G_DBUS_ERROR_UNKNOWN_INTERFACE) }

        /// The bus had no recipient for the message, so nothing was done.
        var isUndelivered: Bool { isDBus(G_DBUS_ERROR_SERVICE_UNKNOWN, G_DBUS_ERROR_NAME_HAS_NO_OWNER) }

        /// The bus or the service ended; it is unknown whether the message arrived.
        var isBroken: Bool {
            isDBus(G_DBUS_ERROR_NO_REPLY, G_DBUS_ERROR_DISCONNECTED) || isIO(G_IO_ERROR_CLOSED, G_IO_ERROR_BROKEN_PIPE)
        }

        /// Lets GLib map the service's error names. Call it before the first call.
        static func registerNames() {
            _ = secret_error_get_quark()
            _ = ownDomain
        }

        /// The service does not know our session, or cannot use it; a new one may work. At most unusable data was stored.
        var isWithoutSession: Bool {
            // KWallet, also if it could not decrypt: as an unknown object, from CreateItem as an error that only Qt names.
            if case .other(_, _, let message) = self, message.hasPrefix("Can't find session") { return true }
            return self == .unusableSession || isOther(ownDomain, OwnCode.noSession.rawValue)
        }

        /// The session does not pass secrets unchanged.
        static let unusableSession = SecretServiceError.other(
            domain: "stored-values", code: 1, message: "the keyring's program and this process do not agree on the encryption")

        /// Only the service knows whether a change was made.
        static let unknownOutcome = SecretServiceError.other(
            domain: "stored-values", code: 3, message: "the keyring locked or ended during the change; it is unknown whether it was made")

        /// The service could not use the proposed key of the session.
        var isRefusedKey: Bool { isDBus(G_DBUS_ERROR_INVALID_ARGS) }

        /// No reply came within GDBus's own limit, which is 25 s for messages of libsecret whatever the deadline, or the other side reported a
        /// timeout.
        var isLimitOfGDBus: Bool { isOwnLimitOfGDBus || isDBus(G_DBUS_ERROR_TIMEOUT, G_DBUS_ERROR_TIMED_OUT) }

        /// Only GDBus's own limit: the other side may send a timeout at any time.
        var isOwnLimitOfGDBus: Bool { isIO(G_IO_ERROR_TIMED_OUT) }

        private func isDBus(_ codes: GDBusError...) -> Bool { codes.contains { isOther(g_dbus_error_quark(), Int($0.rawValue)) } }
        private func isIO(_ codes: GIOErrorEnum...) -> Bool { codes.contains { isOther(g_io_error_quark(), Int($0.rawValue)) } }
        private func isOther(_ domain: GQuark, _ code: Int) -> Bool {
            guard case .other(let name, code, _) = self else { return false }
            return g_quark_to_string(domain).map { String(cString: $0) } == name
        }
    }

    /// The result of `call`; nil if its object does not exist.
    func ifExists<Result>(
        _ call: @autoclosure () throws(SecretServiceError) -> Result
    ) throws(SecretServiceError) -> Result? {
        do throws(SecretServiceError) { return try call() } catch let error where error.isMissingObject { return nil }
    }

    private let ownDomain: GQuark = {
        let domain = g_quark_from_string("stored-values-secret-service-error")
        g_dbus_error_register_error(domain, gint(OwnCode.noSession.rawValue), "org.freedesktop.Secret.Error.NoSession")
        g_dbus_error_register_error(domain, gint(OwnCode.wrongAnswer.rawValue), SecretServiceError.nameOfWrongAnswer)
        return domain
    }()

    private enum OwnCode: Int {
        case noSession
        case wrongAnswer
    }
#endif

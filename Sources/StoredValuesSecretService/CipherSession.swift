#if Libsecret
    import CSecret

    /// libsecret's session with a daemon, which encrypts secrets in transit unless the daemon refuses that.
    final class CipherSession {
        private let service: Reference<UnsafeMutablePointer<CSecret.SecretService>>

        /// Sends nothing yet. Create one per connection.
        init(with daemon: Daemon) throws(SecretServiceError) {
            SessionGuard.install(on: daemon.bus)
            service = Reference(
                owning: try checkedPointer {
                    stored_values_service_new(sessionService, daemon.bus.pointer, daemon.name, Cancellation.current, $0)
                })
        }

        /// Opens the session if necessary.
        func path() throws(SecretServiceError) -> ObjectPath {
            if let path = openPath { return path }
            do {
                try checked { secret_service_ensure_session_sync(service.pointer, Cancellation.current, $0) }
            } catch let error where error.isRefusedKey {
                throw .unusableSession
            }
            guard let path = openPath else { throw .unusableSession }
            return path
        }

        private var openPath: ObjectPath? {
            secret_service_get_session_dbus_path(service.pointer).flatMap { ObjectPath(String(cString: $0)) }
        }

        /// Whether the daemon refused to encrypt, so that secrets cross the bus in the clear. False before it was asked.
        var isPlain: Bool {
            secret_service_get_session_algorithms(service.pointer).map { String(cString: $0) } == "plain"
        }

        func encrypt(_ secret: SecretBytes) throws(SecretServiceError) -> Variant {
            _ = try path()
            guard let encrypted = secret_service_encode_dbus_secret(service.pointer, secret.pointer) else {
                throw .unusableSession
            }
            return Variant(owning: encrypted)
        }

        func secret(of item: Item) throws(SecretServiceError) -> SecretBytes {
            // Its type was checked, which libsecret relies on.
            let encrypted = try item.secret(in: path())
            guard let secret = secret_service_decode_dbus_secret(service.pointer, encrypted.pointer) else {
                throw .unusableSession
            }
            return SecretBytes(owning: secret)
        }
    }

    /// A subclass of libsecret's `SecretService` that can use our own connection. It is used only for its session, which
    /// encrypts secrets in transit: everything else in libsecret may wait without limit, or prompt the user. As a subclass it
    /// does not affect other users of libsecret in this process.
    private let sessionService: GType = g_type_register_static_simple(
        secret_service_get_type(),
        "StoredValuesSessionService",
        guint(MemoryLayout<SecretServiceClass>.size),
        { classPointer, _ in
            guard let methods = classPointer?.assumingMemoryBound(to: SecretServiceClass.self) else { return }
            // Since 0.19 libsecret's own constructor always uses GLib's shared session bus, whatever it is given; a proxy's
            // constructor uses the given connection.
            let proxy = g_type_class_ref(g_dbus_proxy_get_type())!  // never nil for a type that exists
            methods.pointee.parent_class.parent_class.constructor =
                proxy.assumingMemoryBound(to: GObjectClass.self).pointee.constructor
            g_type_class_unref(proxy)
        },
        guint(MemoryLayout<CSecret.SecretService>.size),
        nil,
        GTypeFlags(rawValue: 0)
    )

    /// Checks a daemon's answer to libsecret's `OpenSession` before libsecret gets it, which uses any answer as the daemon's
    /// key (0.20.5 and 0.21): a string there crashes the process, as do 17 MB.
    private final class SessionGuard {
        /// The pending `OpenSession`. GDBus calls for one message after another, on its own thread.
        private var question: Reference<OpaquePointer>?

        /// Checks every message of `bus` from now on.
        static func install(on bus: BusConnection) {
            g_dbus_connection_add_filter(
                bus.pointer,
                { _, message, isIncoming, guardian in
                    guard let message, let guardian else { return message }
                    return Unmanaged<SessionGuard>.fromOpaque(guardian).takeUnretainedValue()
                        .pass(message, isIncoming: isIncoming != 0)
                },
                // The connection keeps one reference count until it is destroyed, so the pointer outlives every message.
                Unmanaged.passRetained(SessionGuard()).toOpaque(),
                { Unmanaged<SessionGuard>.fromOpaque($0!).release() }
            )
        }

        /// The message to pass on in place of `message`, whose reference is taken over: an error if an answer has another type.
        private func pass(_ message: OpaquePointer, isIncoming: Bool) -> OpaquePointer? {
            guard isIncoming else {
                if let member = g_dbus_message_get_member(message), String(cString: member) == "OpenSession" {
                    g_object_ref(UnsafeMutableRawPointer(message))
                    question = Reference(owning: message)
                }
                return message
            }
            guard let asked = question, g_dbus_message_get_reply_serial(message) == g_dbus_message_get_serial(asked.pointer) else {
                return message
            }
            question = nil
            let isAnswer = g_dbus_message_get_message_type(message) == G_DBUS_MESSAGE_TYPE_METHOD_RETURN
            return withExtendedLifetime(asked) {
                guard isAnswer, !Self.isSound(Self.body(of: message), to: Self.body(of: asked.pointer)) else { return message }
                defer { g_object_unref(UnsafeMutableRawPointer(message)) }
                return g_dbus_message_new_method_error_literal(
                    asked.pointer, SecretServiceError.nameOfWrongAnswer, "the keyring's program answered OpenSession without a valid key")
            }
        }

        private static func body(of message: OpaquePointer) -> Variant? {
            g_dbus_message_get_body(message).map { Variant(owning: g_variant_ref($0)) }
        }

        /// Without a key, libsecret checks nothing. Real keys have 128 bytes, or one more.
        private static func isSound(_ answer: Variant?, to question: Variant?) -> Bool {
            guard let answer, answer.has(type: "(vo)") else { return false }
            let key = answer.child(0), isPlain = question.map { $0.has(type: "(sv)") && $0.child(0).string == "plain" } ?? false
            return isPlain || key.has(type: "ay") && (1...1024).contains(key.count)
        }
    }
#endif

#if Libsecret
    import CSecret

    /// Looks at what a daemon answers to libsecret's `OpenSession` before libsecret does, which takes whatever comes as the
    /// daemon's key for bytes (0.20.5 and 0.21): a text there ends the process, as do 17 MB.
    final class SessionGuard {
        /// The question that waits for its answer. GDBus calls for one message after the other, on a thread of its own.
        private var question: (serial: guint32, isPlain: Bool)?

        /// The most bytes that a key may have. Those in use have 128, or one more.
        private static let largestKey = 1024

        /// Looks at every message of `bus` from now on.
        static func stand(on bus: Reference<OpaquePointer>) {
            g_dbus_connection_add_filter(
                bus.pointer,
                { _, message, isIncoming, guardian in
                    guard let message, let guardian else { return message }
                    return Unmanaged<SessionGuard>.fromOpaque(guardian).takeUnretainedValue()
                        .pass(message, isIncoming: isIncoming != 0)
                },
                // The connection keeps one count until it is gone, so the pointer outlives every message.
                Unmanaged.passRetained(SessionGuard()).toOpaque(),
                { Unmanaged<SessionGuard>.fromOpaque($0!).release() }
            )
        }

        /// What goes on in place of `message`, whose reference is taken over: an error for an answer of another type.
        private func pass(_ message: OpaquePointer, isIncoming: Bool) -> OpaquePointer? {
            guard isIncoming else {
                note(message)
                return message
            }
            guard let question, g_dbus_message_get_reply_serial(message) == question.serial else { return message }
            self.question = nil
            let isAnswer = g_dbus_message_get_message_type(message) == G_DBUS_MESSAGE_TYPE_METHOD_RETURN
            guard isAnswer, !Self.isSound(message, question.isPlain) else { return message }
            defer { g_object_unref(UnsafeMutableRawPointer(message)) }
            return Self.refusal(of: message)
        }

        private func note(_ message: OpaquePointer) {
            guard let member = g_dbus_message_get_member(message), String(cString: member) == "OpenSession",
                let body = g_dbus_message_get_body(message)
            else { return }
            let parameters = Variant(owning: g_variant_ref(body))
            let isPlain = parameters.has(type: "(sv)") && parameters.child(0).string == "plain"
            question = (g_dbus_message_get_serial(message), isPlain)
        }

        /// The error that libsecret gets to see in place of `answer`.
        private static func refusal(of answer: OpaquePointer) -> OpaquePointer? {
            let text = "what provides the keyring answered OpenSession with something that holds no key"
            let refusal = g_dbus_message_new()
            g_dbus_message_set_message_type(refusal, G_DBUS_MESSAGE_TYPE_ERROR)
            g_dbus_message_set_error_name(refusal, SecretServiceError.nameOfWrongAnswer)
            g_dbus_message_set_reply_serial(refusal, g_dbus_message_get_reply_serial(answer))
            g_dbus_message_set_sender(refusal, g_dbus_message_get_sender(answer))
            withExtendedLifetime(Variant.tuple([.string(text)])) { g_dbus_message_set_body(refusal, $0.pointer) }
            return refusal
        }

        private static func isSound(_ message: OpaquePointer, _ isPlain: Bool) -> Bool {
            guard let body = g_dbus_message_get_body(message) else { return false }
            let answer = Variant(owning: g_variant_ref(body))
            guard answer.has(type: "(vo)") else { return false }
            guard !isPlain else { return true }  // where there is no key, libsecret does not look
            let key = answer.child(0)
            return key.has(type: "ay") && (1...largestKey).contains(key.count)
        }
    }
#endif

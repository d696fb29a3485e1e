#if Libsecret
    import CSecret
    import Dispatch
    import StoredValuesSupport

    /// The desktop's Secret portal, which hands each sandboxed application a master secret of its own.
    ///
    /// The portal (xdg-desktop-portal) learns from `/.flatpak-info` of the caller which application asks, and passes that on to a
    /// keyring program, which writes the secret into a pipe of ours and makes one at the first time: 64 random bytes in its
    /// collection "login" (seen: gnome-keyring 42.1 behind xdg-desktop-portal 1.16; the same for each program of an application,
    /// another for another). Where that collection is locked the keyring asks the user, and answers nobody else meanwhile.
    /// A dismissal, and nobody there who could show the question, are response 2, "ended in some other way" (seen).
    ///
    /// Programs without a sandbox all get one secret, or one that depends on how the desktop started them.
    package struct SecretPortal: Sendable {
        private let bus: Bus

        private static let name = "org.freedesktop.portal.Desktop"
        private static let interface = "org.freedesktop.portal.Secret"
        private static let requestInterface = "org.freedesktop.portal.Request"
        private static let path: ObjectPath = "/org/freedesktop/portal/desktop"

        /// The fewest bytes that a master secret has.
        private static let leastByteCount = 32

        /// The portal on `bus`. Connects to nothing yet.
        package init(bus: Bus) { self.bus = bus }

        /// Asks for the master secret, and calls `done` with what `take` makes of its bytes, or with why there is none, on a
        /// thread of its own. `accepted` is called when the portal has taken the request, and may be asking the user.
        ///
        /// No task: the one who waits for this may keep every thread of Swift's pool from running one.
        ///
        /// Fails with `dismissed`, with `locked` when the portal answers that there is no secret and not why, with `timedOut` after
        /// `limit`, `noSessionBus`, `accessDenied`, and with what says that there is no portal or that its secret is of no use.
        package func retrieve<Taken: Sendable>(
            within limit: Duration = ItemStore.longestQuestion, accepted: @escaping @Sendable () -> Void,
            take: @escaping @Sendable (UnsafeRawBufferPointer) -> Taken,
            done: @escaping @Sendable (Result<Taken, SecretServiceError>) -> Void
        ) {
            let cancellation = Reference(owning: g_cancellable_new()!)  // GObject aborts rather than return nil
            ServiceThread.cancellations.asyncAfter(deadline: .now() + limit.dispatchInterval) { [weak cancellation] in
                if let cancellation { g_cancellable_cancel(cancellation.pointer) }
            }
            // A queue of its own: it may take minutes.
            DispatchQueue(label: "StoredValues.SecretPortal").async {
                let result = Result { () throws(SecretServiceError) in
                    do throws(SecretServiceError) {
                        return try retrieve(accepted, take, cancellation.pointer)
                    } catch {
                        throw error == .cancelled || error.isLimitOfGDBus ? .timedOut(after: limit) : error
                    }
                }
                withExtendedLifetime(cancellation) { done(result) }
            }
        }

        private func retrieve<Taken>(
            _ accepted: () -> Void, _ take: (UnsafeRawBufferPointer) -> Taken, _ cancellable: Cancellable
        ) throws(SecretServiceError) -> Taken {
            // A connection of its own: when it goes, the portal ends what was asked on it.
            let connection = try BusConnection(to: bus, cancellable)
            let portal = try Self.find(on: connection, cancellable)
            let (pipe, writingEnd) = try SecretPipe.make()
            let context = g_main_context_new()
            defer { g_main_context_unref(context) }
            try withContext(context) { () throws(SecretServiceError) in
                try pipe.whileReading(in: context) { () throws(SecretServiceError) in
                    let request = Request(on: connection, to: portal)
                    try request.send(writingEnd, cancellable)
                    accepted()
                    waitForSignals(in: context, on: connection, cancellable) {
                        request.isOver || request.response == 0 && pipe.isAtEnd
                    }
                    try request.requireSuccess(isComplete: pipe.isAtEnd, cancellable)
                }
            }
            return try pipe.withBytes { bytes throws(SecretServiceError) in
                try Self.require(bytes.count >= Self.leastByteCount, 3, "handed out \(bytes.count) bytes, which is too short for a key")
                try Self.require(bytes.count <= SecretPipe.sizeLimit, 4, "handed out more than 64 KiB, which is no key")
                return take(bytes)
            }
        }

        /// The unique name of the portal on `connection`, which is started if it is not there and the bus can.
        private static func find(on connection: BusConnection, _ cancellable: Cancellable) throws(SecretServiceError) -> String {
            if let running = try connection.owner(of: name, cancellable) { return running }
            do {
                try connection.start(name, cancellable)
            } catch .other {
                throw missing
            }
            guard let started = try connection.owner(of: name, cancellable) else { throw missing }
            return started
        }

        private static func require(_ condition: Bool, _ code: Int, _ what: String) throws(SecretServiceError) {
            guard condition else { throw failure(code, "the Secret portal \(what)") }
        }

        private static func failure(_ code: Int, _ message: String) -> SecretServiceError {
            .other(domain: "SecretPortal", code: code, message: message)
        }

        /// No portal, or one for which no keyring program is installed.
        private static var missing: SecretServiceError {
            failure(
                1, "no program on the session bus provides the Secret portal (\(interface)); install xdg-desktop-portal and a keyring that implements it, such as gnome-keyring")
        }

        /// One question to the portal. Used on one thread.
        private final class Request {
            private let connection: BusConnection
            private let portal: String
            private let token = "stored_values_\(UInt64.random(in: .min ... .max))"
            /// Where the portal puts the request, which it derives from the asker and the token (its documentation), so that the
            /// response can be heard before the request is made.
            private let path: ObjectPath?
            private let answer = Answer()
            private var subscriptions: [SignalSubscription] = []

            init(on connection: BusConnection, to portal: String) {
                self.connection = connection
                self.portal = portal
                let asker = connection.name?.dropFirst().map { $0 == "." ? "_" : String($0) }.joined()
                path = ObjectPath("\(SecretPortal.path.text)/request/\(asker ?? "")/\(token)")
                subscriptions = [
                    SignalSubscription(
                        on: connection, to: SecretPortal.requestInterface, of: portal, member: "Response", path: path?.text
                    ) { [answer] _, parameters in
                        answer.response = parameters.has(type: "(ua{sv})") ? parameters.child(0).number : .max
                    },
                    SignalSubscription.owner(of: portal, on: connection) { [answer] owner in
                        if owner == nil { answer.isPortalGone = true }
                    },
                ]
            }

            /// Hands the portal the end that the secret is to be written to.
            func send(_ writingEnd: Int32, _ cancellable: Cancellable) throws(SecretServiceError) {
                let handle: Variant
                do throws(SecretServiceError) {
                    handle = try connection.call(
                        "RetrieveSecret", of: SecretPortal.interface, at: SecretPortal.path, by: portal, handingOver: writingEnd,
                        [.properties(["handle_token": .string(token)])], reply: "(o)", cancellable)
                } catch where error.isUnknownInterface || error.isUndelivered {
                    throw SecretPortal.missing
                } catch where error.isBroken {
                    throw Self.gone
                }
                guard handle.child(0).path == path else {
                    throw .wrongAnswer(to: "RetrieveSecret", type: "another path", expected: "the request's")
                }
            }

            /// What the portal answered; 0 says that the secret is written.
            var response: UInt32? { answer.response }

            /// Whether no secret comes any more.
            var isOver: Bool { answer.isPortalGone || (answer.response ?? 0) != 0 }

            /// Throws unless the secret came, which `isComplete` says of its bytes.
            func requireSuccess(isComplete: Bool, _ cancellable: Cancellable) throws(SecretServiceError) {
                switch answer.response {
                case 0 where isComplete: return
                case 0, nil: throw g_cancellable_is_cancelled(cancellable) == 0 ? Self.gone : .cancelled
                case 1: throw .dismissed
                case 2: throw .locked
                default: throw .wrongAnswer(to: "RetrieveSecret", type: "an unknown response", expected: "0, 1 or 2")
                }
            }

            private static var gone: SecretServiceError {
                SecretPortal.failure(2, "the Secret portal or the session bus ended before it answered")
            }

            private final class Answer {
                var response: UInt32?
                var isPortalGone = false
            }
        }
    }
#endif

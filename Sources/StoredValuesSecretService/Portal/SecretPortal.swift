#if Libsecret
    import CSecret
    import Dispatch
    import Glibc
    import StoredValuesSupport

    /// The desktop's Secret portal, which provides a separate master secret for each sandboxed application. (Programs outside a sandbox
    /// all get the same one, or one that depends on how the desktop started them.)
    ///
    /// The portal (xdg-desktop-portal) reads from the caller's `/.flatpak-info` which application it is, and passes that on to a
    /// keyring program, which writes the secret into our pipe. It creates it at the first request: 64 random bytes in its collection
    /// "login" (seen: gnome-keyring 42.1 behind xdg-desktop-portal 1.16). If that collection is locked, the keyring prompts the user,
    /// and answers no other caller meanwhile. Both a dismissal and the lack of a program that could show the prompt are response 2,
    /// "ended in some other way" (seen).
    package enum SecretPortal {
        private static let name = "org.freedesktop.portal.Desktop"
        private static let interface = "org.freedesktop.portal.Secret"
        private static let path: ObjectPath = "/org/freedesktop/portal/desktop"

        /// Requests the master secret on `bus`, and calls `done` on a separate thread with the result of `take` for its bytes. `accepted`
        /// is called when the portal has accepted the request, and may be prompting the user. Not a task: the callers that wait may
        /// block every thread of Swift's pool.
        ///
        /// Fails with `dismissed`, `locked` if the portal answers without a secret or a reason, `timedOut` after ``ItemStore/promptLimit``,
        /// `noSessionBus`, `accessDenied`, and with an error that says that there is no portal or that its secret is invalid.
        package static func retrieve<Taken: Sendable>(
            on bus: Bus, accepted: @escaping @Sendable () -> Void, take: @escaping @Sendable (UnsafeRawBufferPointer) -> Taken,
            done: @escaping @Sendable (Result<Taken, SecretServiceError>) -> Void
        ) {
            let cancellation = Cancellation(), limit = ItemStore.promptLimit
            ServiceThread.cancellations.async(after: limit) { [weak cancellation] in cancellation?.cancel() }
            // On a separate queue, because this may take minutes.
            DispatchQueue(label: "StoredValues.SecretPortal").async {
                let result = Result { () throws(SecretServiceError) in
                    do throws(SecretServiceError) {
                        return try cancellation.during { () throws(SecretServiceError) in try retrieve(on: bus, accepted, take) }
                    } catch {
                        throw error == .cancelled || error.isLimitOfGDBus ? .timedOut(after: limit) : error
                    }
                }
                withExtendedLifetime(cancellation) { done(result) }
            }
        }

        private static func retrieve<Taken>(
            on bus: Bus, _ accepted: () -> Void, _ take: (UnsafeRawBufferPointer) -> Taken
        ) throws(SecretServiceError) -> Taken {
            // A separate connection: when it is closed, the portal ends the request.
            let connection = try BusConnection(to: bus)
            guard let portal = try connection.startedOwner(of: name) else { throw missing }
            let pipe = try withNewContext { () throws(SecretServiceError) in try receive(from: portal, on: connection, accepted) }
            guard pipe.bytes.count >= 32 else {
                throw Self.failure(3, "the Secret portal provided only \(pipe.bytes.count) bytes, which is too short for a key")
            }
            guard pipe.bytes.count <= SecretPipe.sizeLimit else {
                throw Self.failure(4, "the Secret portal provided more than 64 KiB, which is not a key")
            }
            return withExtendedLifetime(pipe) { take(pipe.bytes) }
        }

        /// Passes the portal the writing end of a pipe, and waits until the secret has arrived in it.
        private static func receive(
            from portal: String, on connection: BusConnection, _ accepted: () -> Void
        ) throws(SecretServiceError) -> SecretPipe {
            // The request has this path, so that the response can be subscribed to before the request is sent.
            let token = "stored_values_\(UInt64.random(in: .min ... .max))"
            let caller = connection.name?.dropFirst().map { $0 == "." ? "_" : String($0) }.joined()
            let path = ObjectPath("\(Self.path.text)/request/\(caller ?? "")/\(token)")
            var response: UInt32?, isPortalGone = false
            let subscriptions = [
                SignalSubscription(
                    on: connection, to: "org.freedesktop.portal.Request", of: portal, member: "Response", path: path?.text
                ) { response = $1.has(type: "(ua{sv})") ? $1.child(0).number : .max },
                SignalSubscription.owner(of: portal, on: connection) { if $0 == nil { isPortalGone = true } },
            ]
            defer { withExtendedLifetime(subscriptions) {} }
            let pipe = try SecretPipe()
            do throws(SecretServiceError) {
                let handle = try connection.call(
                    "RetrieveSecret", of: Self.interface, at: Self.path, by: portal, handingOver: pipe.writingEnd,
                    [.properties(["handle_token": .string(token)])], reply: "(o)")
                guard handle.child(0).path == path else {
                    throw .wrongAnswer(to: "RetrieveSecret", type: "another path", expected: "the request's")
                }
            } catch let error where error.isUnknownInterface || error.isUndelivered {
                throw Self.missing
            } catch let error where error.isBroken {
                throw Self.gone
            }
            accepted()
            // The pipe is read each time, so that a writer of more than fits into it does not wait long.
            var isAtEnd = false
            waitForSignals(every: 20) {
                isAtEnd = pipe.readAvailable()
                return isPortalGone || connection.isClosed || response.map { $0 != 0 || isAtEnd } == true
            }
            switch response {
            case 0 where isAtEnd: return pipe
            case 0, nil: throw Cancellation.isCurrentCancelled ? .cancelled : Self.gone
            case 1: throw .dismissed
            case 2: throw .locked
            default: throw .wrongAnswer(to: "RetrieveSecret", type: "an unknown response", expected: "0, 1 or 2")
            }
        }

        private static func failure(_ code: Int, _ message: String) -> SecretServiceError {
            .other(domain: "SecretPortal", code: code, message: message)
        }

        /// There is no portal, or no keyring program that implements it.
        private static var missing: SecretServiceError {
            failure(
                1,
                """
                no program on the session bus provides the Secret portal (\(interface)); install xdg-desktop-portal and a keyring that \
                implements it, such as gnome-keyring
                """)
        }

        private static var gone: SecretServiceError { failure(2, "the Secret portal or the session bus ended before it answered") }
    }

    /// A pipe for a secret, and the bytes received so far. Wiped when this is released.
    private final class SecretPipe {
        static let sizeLimit = 1 << 16

        private let descriptor: Int32
        /// To be closed by whoever gets it.
        let writingEnd: Int32
        private let buffer: UnsafeMutableRawBufferPointer
        private var count = 0

        init() throws(SecretServiceError) {
            var ends: [gint] = [-1, -1]
            try checked { g_unix_open_pipe(&ends, FD_CLOEXEC, $0) }
            _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
            (descriptor, writingEnd) = (ends[0], ends[1])
            buffer = .allocate(byteCount: Self.sizeLimit + 1, alignment: 1)
        }

        deinit {
            close(descriptor)
            wipe(buffer)
            buffer.deallocate()
        }

        /// Valid as long as this exists and reads no more.
        var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[..<count]) }

        /// Returns whether no more bytes will arrive, or are needed.
        func readAvailable() -> Bool {
            while count < buffer.count {
                do throws(SystemErrorCode) {
                    let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
                    let added = try system { read(descriptor, rest.baseAddress, rest.count) }
                    guard added > 0 else { return true }
                    count += added
                } catch {
                    return error.rawValue != EAGAIN
                }
            }
            return true
        }
    }
#endif

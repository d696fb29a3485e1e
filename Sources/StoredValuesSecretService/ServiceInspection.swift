#if Libsecret
    /// The state of the Secret Service on a bus, found without starting a program or prompting the user.
    package struct ServiceInspection: Hashable, Sendable {
        /// The address of the bus.
        package var bus: String
        /// Whether the bus can start a program that provides the service.
        package var canBeStarted: Bool
        /// Whether a program provides it; if none does, nothing is known of what follows.
        package var isRunning = false
        /// Its process number, if the bus knows it.
        package var process: UInt32?
        /// The label of its default collection; nil if there is none.
        package var collection: String?
        /// Whether its default collection is locked.
        package var isLocked = false
        /// Whether it refuses to encrypt secrets in transit; nil if unknown, because no session was opened.
        package var isPlain: Bool?
    }

    extension ItemStore {
        /// Checks which program provides the service and whether its default collection is open. Uses a separate connection,
        /// because the shared one starts the service. Throws `noSessionBus` and errors of the service.
        package func inspect() async throws(SecretServiceError) -> ServiceInspection {
            let bus = bus
            return try await ServiceThread.perform(deadline: deadline) { cancellable throws(SecretServiceError) in
                let connection = try BusConnection(to: bus, cancellable)
                var found = ServiceInspection(bus: try bus.resolve(), canBeStarted: try Daemon.canBeStarted(on: connection, cancellable))
                if let daemon = try Daemon.running(on: connection, cancellable) { try daemon.inspect(&found, cancellable) }
                return found
            }
        }
    }

    extension Daemon {
        fileprivate func inspect(_ found: inout ServiceInspection, _ cancellable: Cancellable) throws(SecretServiceError) {
            found.isRunning = true
            // Not every bus knows it, for example for a process in another container.
            found.process = try? bus.call("GetConnectionUnixProcessID", [.string(name)], reply: "(u)", cancellable).child(0).number
            do throws(SecretServiceError) {
                let path = try defaultCollection(cancellable)
                found.collection = try label(of: path, cancellable)
                found.isLocked = try !isOpen(path, cancellable)
            } catch .noDefaultCollection {
                found.collection = nil
            }
            found.isPlain = try withContext { () throws(SecretServiceError) in
                do throws(SecretServiceError) {
                    let session = try CipherSession(with: self, cancellable)
                    _ = try session.path(cancellable)
                    return session.isPlain
                } catch where error != .cancelled && !error.isWrongAnswer {
                    return nil  // KWallet refuses one in a hundred
                }
            }
        }
    }
#endif

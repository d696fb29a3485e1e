#if Libsecret
    /// The state of the Secret Service on a bus, found without starting a program or prompting the user.
    package struct ServiceInspection: Hashable, Sendable {
        /// The program that provides it.
        package struct Owner: Hashable, Sendable {
            /// Its process number, if the bus knows it.
            package var process: UInt32?
            /// The label of its default collection, and whether that is locked; nil if there is none.
            package var collection: Collection?
            /// Whether it refuses to encrypt secrets in transit; nil if unknown, because no session was opened.
            package var isPlain: Bool?
        }

        /// A collection of items.
        package struct Collection: Hashable, Sendable {
            package var label: String
            package var isLocked: Bool
        }

        /// The address of the bus.
        package var bus: String
        /// The program that provides the service; nil if none does.
        package var owner: Owner?
        /// Whether the bus can start such a program.
        package var canBeStarted: Bool
    }

    extension ItemStore {
        /// Checks which program provides the service and whether its default collection is open. Uses a separate connection,
        /// because the shared one starts the service. Throws `noSessionBus` and errors of the service.
        package func inspect() async throws(SecretServiceError) -> ServiceInspection {
            let bus = bus
            return try await ServiceThread.perform(deadline: deadline) { cancellable throws(SecretServiceError) in
                let connection = try BusConnection(to: bus, cancellable)
                return ServiceInspection(
                    bus: try bus.resolve(),
                    owner: try Daemon.running(on: connection, cancellable)?.inspect(cancellable),
                    canBeStarted: try Daemon.canBeStarted(on: connection, cancellable)
                )
            }
        }
    }

    extension Daemon {
        fileprivate func inspect(_ cancellable: Cancellable) throws(SecretServiceError) -> ServiceInspection.Owner {
            // Not every bus knows it, for example for a process in another container.
            let process = try? bus.call("GetConnectionUnixProcessID", [.string(name)], reply: "(u)", cancellable)
            return ServiceInspection.Owner(
                process: process?.child(0).number, collection: try inspectCollection(cancellable),
                isPlain: try inspectSession(cancellable))
        }

        private func inspectCollection(_ cancellable: Cancellable) throws(SecretServiceError) -> ServiceInspection.Collection? {
            do throws(SecretServiceError) {
                let path = try defaultCollection(cancellable)
                return ServiceInspection.Collection(
                    label: try label(of: path, cancellable), isLocked: try !isOpen(path, cancellable))
            } catch .noDefaultCollection {
                return nil
            }
        }

        private func inspectSession(_ cancellable: Cancellable) throws(SecretServiceError) -> Bool? {
            do throws(SecretServiceError) {
                return try withContext { () throws(SecretServiceError) in
                    let session = try CipherSession(with: self, cancellable)
                    _ = try session.path(cancellable)
                    return session.isPlain
                }
            } catch where error != .cancelled && !error.isWrongAnswer {
                return nil  // KWallet refuses one in a hundred
            }
        }
    }
#endif

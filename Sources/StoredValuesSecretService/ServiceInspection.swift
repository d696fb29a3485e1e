#if Libsecret
    /// What was found about the Secret Service on a bus by looking only: nothing was started and nobody was asked.
    package struct ServiceInspection: Hashable, Sendable {
        /// The program that provides it.
        package struct Owner: Hashable, Sendable {
            /// The number of its process, where the bus knows that.
            package var process: UInt32?
            /// What its default collection is called, and whether it is locked; nil where there is none.
            package var collection: Collection?
            /// Whether it refuses to encrypt secrets on their way; nil where no session came about that tells.
            package var isPlain: Bool?
        }

        /// A collection of items.
        package struct Collection: Hashable, Sendable {
            package var label: String
            package var isLocked: Bool
        }

        /// The address of the bus.
        package var bus: String
        /// Who provides the service; nil while nobody does.
        package var owner: Owner?
        /// Whether the bus can start a program that does.
        package var canBeStarted: Bool
    }

    extension ItemStore {
        /// Looks who provides the service and whether its default collection is open. On a connection of its own, as the one
        /// that calls share starts the service. Throws `noSessionBus` and what the service answers.
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
            // Not every bus knows, for instance of a process in another container.
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

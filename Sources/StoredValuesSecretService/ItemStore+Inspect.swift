#if Libsecret
    import CSecret

    extension ItemStore {
        /// Looks who provides the service and whether its default collection is open. On a connection of its own, as the one
        /// that calls share starts the service. Throws `noSessionBus` and what the service answers.
        package func inspect() async throws(SecretServiceError) -> ServiceInspection {
            let bus = bus
            return try await Call.run(on: ServiceThread.calls, deadline: deadline) { cancellable throws(SecretServiceError) in
                let connection = try bus.connect(cancellable)
                let startable = try Message.bus("ListActivatableNames", [], reply: "(as)")
                    .send(on: connection.pointer, cancellable)
                return ServiceInspection(
                    bus: try bus.resolve(),
                    owner: try Daemon.running(on: connection, cancellable)?.inspect(cancellable),
                    canBeStarted: startable.child(0).strings.contains(Daemon.wellKnownName)
                )
            }
        }
    }

    extension Daemon {
        fileprivate func inspect(_ cancellable: Cancellable) throws(SecretServiceError) -> ServiceInspection.Owner {
            // Not every bus knows, for instance of a process in another container.
            let process = try? Message.bus("GetConnectionUnixProcessID", [.string(name)], reply: "(u)")
                .send(on: bus.pointer, cancellable)
            return ServiceInspection.Owner(
                process: process?.child(0).number, collection: try inspectCollection(cancellable),
                isPlain: try inspectSession(cancellable))
        }

        private func inspectCollection(
            _ cancellable: Cancellable
        ) throws(SecretServiceError) -> ServiceInspection.Collection? {
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

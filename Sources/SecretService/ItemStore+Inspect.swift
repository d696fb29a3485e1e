#if Libsecret
    import CSecret

    extension ItemStore {
        /// Looks who provides the service and whether its default collection is open. On a connection of its own, as the one
        /// that calls share starts the service. Throws `noSessionBus` and what the service answers.
        package func inspect() async throws(SecretServiceError) -> ServiceInspection {
            let bus = bus
            return try await Call.run(on: ServiceThread.calls, deadline: deadline) { cancellable throws(SecretServiceError) in
                let connection = try bus.connect(cancellable)
                let startable = try Message.bus("ListActivatableNames", []).send(on: connection.pointer, cancellable)
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
            let process = try? Message.bus("GetConnectionUnixProcessID", [.string(name)]).send(on: bus.pointer, cancellable)
            do throws(SecretServiceError) {
                let path = try defaultCollection(cancellable)
                let collection = ServiceInspection.Collection(
                    label: try label(of: path, cancellable), isLocked: try !isOpen(path, cancellable))
                return ServiceInspection.Owner(process: process?.child(0).number, collection: collection)
            } catch .noDefaultCollection {
                return ServiceInspection.Owner(process: process?.child(0).number, collection: nil)
            }
        }
    }
#endif

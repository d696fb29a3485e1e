#if Libsecret
    import CSecret

    extension ItemStore {
        /// Who may be asked to unlock.
        package enum Asking: Hashable, Sendable {
            /// The person, if this process has a display.
            case whereThereIsADisplay
            /// The person, in any case.
            case always
        }

        /// How long a question to the person may stand.
        package static let longestQuestion = Duration.seconds(120)

        /// Opens the default collection, asking the person if the service wants to; true if it was locked before.
        ///
        /// However many calls on one bus want to ask, one question stands, and its answer is the answer to all who called
        /// before it was given; whoever calls after a dismissal asks again. Each call ends as soon as its own task is
        /// cancelled, and the question is given up with the last of them. Other calls do not wait for the question.
        ///
        /// Throws `locked` when a question would be needed and nobody may be asked, or the answer opened nothing,
        /// `dismissed`, `timedOut` (of the question after ``longestQuestion``), and `noDefaultCollection`.
        package func unlock(asking: Asking) async throws(SecretServiceError) -> Bool {
            let began = ContinuousClock.now
            let mayAsk = asking == .always || hasDisplay
            let outcome = try await withDefaultCollection { connection, collection, cancellable throws(SecretServiceError) in
                guard try connection.daemon.isLocked(collection, cancellable) else { return Outcome.wasOpen }
                if try connection.daemon.isOpenWallet(collectionOf: [collection], cancellable) {
                    try connection.unlockQuietly([collection], cancellable)
                    return .opened
                }
                guard mayAsk else { throw .locked }
                return .question(about: collection)
            }
            switch outcome {
            case .wasOpen:
                return false
            case .opened:
                return true
            case .question(let collection):
                try await Session.on(bus).question.ask(UnlockQuestion(bus: bus, paths: [collection]), since: began)
                let isOpen = try await withDefaultCollection { connection, collection, cancellable throws(SecretServiceError) in
                    try connection.daemon.isOpen(collection, cancellable)
                }
                guard isOpen else { throw .locked }
                return true
            }
        }

        private func withDefaultCollection<Result: Sendable>(
            _ body: @escaping @Sendable (Connection, String, Cancellable) throws(SecretServiceError) -> Result
        ) async throws(SecretServiceError) -> Result {
            let session = Session.on(bus)
            return try await Call.run(on: ServiceThread.calls, deadline: deadline) { cancellable throws(SecretServiceError) in
                try session.perform(cancellable) { connection, _ throws(SecretServiceError) -> Result in
                    try body(connection, try connection.daemon.defaultCollection(cancellable), cancellable)
                }
            }
        }
    }

    private enum Outcome: Sendable {
        case wasOpen
        case opened
        case question(about: String)
    }

    private var hasDisplay: Bool {
        ["DISPLAY", "WAYLAND_DISPLAY"].contains { (name: String) in g_getenv(name).map { $0.pointee != 0 } ?? false }
    }
#endif

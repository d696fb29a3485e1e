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
        /// Throws `locked` when a question would be needed and nobody may be asked, `dismissed`, `timedOut` (of the question
        /// after ``longestQuestion``), and `noDefaultCollection`. Other calls do not wait for the question.
        package func unlock(asking: Asking) async throws(SecretServiceError) -> Bool {
            let session = Session.on(bus)
            let mayAsk = asking == .always || hasDisplay
            let outcome = try await Call.run(on: ServiceThread.calls, deadline: deadline) {
                cancellable throws(SecretServiceError) in
                try session.perform(cancellable) { connection, _ throws(SecretServiceError) -> Outcome in
                    let collection = try connection.daemon.defaultCollection(cancellable)
                    guard try connection.daemon.isLocked(collection, cancellable) else { return .wasOpen }
                    if try connection.daemon.isOpenWallet(collectionOf: [collection], cancellable) {
                        try connection.unlockQuietly([collection], cancellable)
                        return .opened
                    }
                    guard let question = try connection.daemon.beginUnlocking([collection], cancellable) else { return .opened }
                    guard mayAsk else {
                        question.dismiss()
                        throw .locked
                    }
                    return .question(question)
                }
            }
            switch outcome {
            case .wasOpen:
                return false
            case .opened:
                return true
            case .question(let question):
                try await Call.run(on: ServiceThread.questions, deadline: ItemStore.longestQuestion) {
                    cancellable throws(SecretServiceError) in
                    try question.ask(cancellable)
                }
                return true
            }
        }
    }

    private enum Outcome: Sendable {
        case wasOpen
        case opened
        case question(UnlockQuestion)
    }

    private var hasDisplay: Bool {
        ["DISPLAY", "WAYLAND_DISPLAY"].contains { (name: String) in g_getenv(name).map { $0.pointee != 0 } ?? false }
    }
#endif

#if Libsecret
    import StoredValuesSupport

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

        /// Opens the default collection and the items that calls found locked, asking the person if the service wants to;
        /// true if something was locked before.
        ///
        /// However many calls on one bus want to ask, one question stands, and its answer is the answer to all who called
        /// before it was given; whoever calls after a dismissal asks again. Each call ends as soon as its own task is
        /// cancelled, and the question is given up with the last of them. Other calls do not wait for the question.
        ///
        /// Throws `locked` when a question would be needed and nobody may be asked, or the answer left something locked,
        /// `dismissed`, `timedOut` (of the question after ``longestQuestion``), and `noDefaultCollection`.
        package func unlock(asking: Asking) async throws(SecretServiceError) -> Bool {
            let began = ContinuousClock.now
            guard let question = try await whatIsLocked() else { return false }
            guard !question.paths.isEmpty else { return true }
            guard asking == .always || hasDisplay else { throw .locked }
            try await SharedConnection.to(bus).question.ask(question, since: began)
            if let rest = try await whatIsLocked(), !rest.paths.isEmpty { throw .locked }
            return true
        }

        /// Looks what is locked, and opens what needs no question. Nil when all was open.
        private func whatIsLocked() async throws(SecretServiceError) -> UnlockQuestion? {
            try await call { connection, cancellable, _ throws(SecretServiceError) in try connection.whatIsLocked(cancellable) }
        }
    }

    extension DaemonConnection {
        fileprivate func whatIsLocked(_ cancellable: Cancellable) throws(SecretServiceError) -> UnlockQuestion? {
            let collection = try daemon.defaultCollection(cancellable)
            var locked: [ObjectPath] = []
            for item in lockedItems {
                if try daemon.isLocked(item: item, cancellable) { locked.append(item) } else { lockedItems.remove(item) }
            }
            if try daemon.isLocked(collection, cancellable) { locked.append(collection) }
            guard !locked.isEmpty else { return nil }
            // All of them, or none: the wallet that is open holds the items too.
            if try daemon.isOpenWallet(collectionOf: [collection] + locked, cancellable) {
                try unlockQuietly([collection], cancellable)
                return UnlockQuestion(daemon: daemon, paths: [])
            }
            return UnlockQuestion(daemon: daemon, paths: locked)
        }
    }

    private var hasDisplay: Bool {
        ["DISPLAY", "WAYLAND_DISPLAY"].contains { name in (try? environmentVariable(name))?.isEmpty == false }
    }
#endif

#if Libsecret
    import StoredValuesSupport

    extension ItemStore {
        /// Whether the user may be prompted to unlock.
        package enum Asking: Hashable, Sendable {
            /// If this process has a display.
            case whereThereIsADisplay
            /// In any case.
            case always
        }

        /// How long a prompt may stay open.
        package static let longestQuestion = Duration.seconds(120)

        /// Opens the default collection and the items that calls found locked, prompting the user if the service requires it;
        /// true if something was locked before.
        ///
        /// However many calls on one bus need a prompt, only one is shown, and its answer applies to all calls made before; a
        /// call after a dismissal prompts again. Each call ends as soon as its task is cancelled, and the prompt is closed with
        /// the last of them. Other calls do not wait for the prompt.
        ///
        /// Throws `locked` if a prompt is needed but not permitted, or the answer left something locked, `dismissed`,
        /// `timedOut` (of the prompt after ``longestQuestion``), and `noDefaultCollection`.
        package func unlock(asking: Asking) async throws(SecretServiceError) -> Bool {
            let began = ContinuousClock.now
            guard let question = try await whatIsLocked() else { return false }
            guard !question.paths.isEmpty else { return true }
            guard asking == .always || hasDisplay else { throw .locked }
            try await SharedConnection.to(bus).question.ask(question, since: began)
            if let rest = try await whatIsLocked(), !rest.paths.isEmpty { throw .locked }
            return true
        }

        /// Checks what is locked, and opens what needs no prompt. Nil if all was open.
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
            // All of them or none: the open wallet contains the items too.
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

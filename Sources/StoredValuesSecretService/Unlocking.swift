#if Libsecret
    import StoredValuesSupport

    extension ItemStore {
        /// How long a prompt may stay open.
        package static let promptLimit = Duration.seconds(120)

        /// Opens the default collection and the items that calls found locked, prompting the user if the service requires it;
        /// true if something was locked before.
        ///
        /// However many calls on one bus need a prompt, only one is shown, and its answer applies to all calls made before; a
        /// call after a dismissal prompts again. Each call ends as soon as its task is cancelled, and the prompt is closed with
        /// the last of them. Other calls do not wait for the prompt.
        ///
        /// Throws `locked` if a prompt is needed and this process has no display, unless `evenWithoutDisplay`, or the answer left
        /// something locked, `dismissed`, `timedOut` (of the prompt after ``promptLimit``), and `noDefaultCollection`.
        package func unlock(evenWithoutDisplay: Bool = false) async throws(SecretServiceError) -> Bool {
            let began = ContinuousClock.now
            guard let locked = try await findLocked() else { return false }
            guard !locked.paths.isEmpty else { return true }
            guard evenWithoutDisplay || hasDisplay else { throw .locked }
            try await SharedConnection.to(bus).prompt.show(locked, since: began)
            if let rest = try await findLocked(), !rest.paths.isEmpty { throw .locked }
            return true
        }

        /// Finds what is locked, and opens what needs no prompt. Nil if all was open.
        private func findLocked() async throws(SecretServiceError) -> LockedObjects? {
            try await call { connection, cancellable, _ throws(SecretServiceError) in
                let daemon = connection.daemon, collection = try daemon.defaultCollection(cancellable)
                var locked: [ObjectPath] = []
                for item in connection.lockedItems {
                    if try daemon.isLocked(item: item, cancellable) { locked.append(item) } else { connection.lockedItems.remove(item) }
                }
                if try daemon.isLocked(collection, cancellable) { locked.append(collection) }
                guard !locked.isEmpty else { return nil }
                // All of them or none: the open wallet contains the items too.
                if try daemon.isOpenWallet(collectionOf: [collection] + locked, cancellable) {
                    try connection.unlockQuietly([collection], cancellable)
                    locked = []
                }
                return LockedObjects(daemon: daemon, paths: locked)
            }
        }
    }

    private var hasDisplay: Bool {
        ["DISPLAY", "WAYLAND_DISPLAY"].contains { name in (try? environmentVariable(name))?.isEmpty == false }
    }

    /// What must be unlocked by a prompt: collections, items.
    struct LockedObjects: Sendable {
        /// On the connection of the calls: KeePassXC unlocks an item only for the connection that requested it.
        let daemon: Daemon
        let paths: [ObjectPath]

        /// Shows the prompt, and waits for the answer. Throws `dismissed`, `noSecretService` if the daemon or its bus ends
        /// meanwhile, and `cancelled` if `cancellable` is; then the prompt is closed if possible.
        func unlock(_ cancellable: Cancellable) throws(SecretServiceError) {
            guard let prompt = try daemon.beginUnlocking(paths, cancellable) else { return }
            do {
                try prompt.perform(cancellable)
            } catch .cancelled {
                prompt.dismissIfSafe()
                throw .cancelled
            }
        }
    }

    /// The open prompt on one bus: there is at most one, however many calls wait for it.
    ///
    /// Each caller waits until its task is cancelled; the prompt stays open until it is answered, as long as a caller waits,
    /// and at most ``ItemStore/promptLimit``.
    final class OpenPrompt: Sendable {
        private typealias Answer = Result<Void, SecretServiceError>

        private struct State {
            var waiting: [OneShot<Answer>] = []
            var prompting: Task<Void, Never>?
            /// Identifies the prompt that `waiting` wait for.
            var round = 0
            /// The user's last answer, and when it was given.
            var last: (answer: Answer, time: ContinuousClock.Instant)?
        }

        private let state = Guarded(State())

        /// Prompts for `locked` and waits for the answer. If a prompt is already open, or was answered since the caller `began`,
        /// its answer is used.
        ///
        /// Throws `dismissed`, `cancelled` as soon as the task is, and `timedOut`.
        func show(_ locked: LockedObjects, since began: ContinuousClock.Instant) async throws(SecretServiceError) {
            let shot = OneShot<Answer>()
            let early = state.withLock { state -> Answer? in
                if let last = state.last, last.time > began { return last.answer }
                state.waiting.append(shot)
                if state.prompting == nil {
                    state.round += 1
                    state.prompting = Task.detached { [self, round = state.round] in await prompt(for: locked, round) }
                }
                return nil
            }
            if let early { return try early.get() }
            let answer = await shot.wait(cancelled: .failure(.cancelled))
            if case .failure(.cancelled) = answer { giveUp(shot) }
            try answer.get()
        }

        private func prompt(for locked: LockedObjects, _ round: Int) async {
            let answer: Answer
            do throws(SecretServiceError) {
                try await ServiceThread.perform(on: ServiceThread.prompts, deadline: ItemStore.promptLimit) {
                    cancellable throws(SecretServiceError) in
                    try locked.unlock(cancellable)
                }
                answer = .success(())
            } catch {
                answer = .failure(error)
            }
            let waiting = state.withLock { state -> [OneShot<Answer>] in
                guard state.round == round else { return [] }
                defer { (state.waiting, state.prompting) = ([], nil) }
                switch answer {
                case .success, .failure(.dismissed): state.last = (answer, .now)
                case .failure: break  // the user has not answered
                }
                return state.waiting
            }
            for shot in waiting { shot.answer(answer) }
        }

        /// Closes the prompt when the last waiting caller has given up.
        private func giveUp(_ shot: OneShot<Answer>) {
            let prompting = state.withLock { state in
                state.waiting.removeAll { $0 === shot }
                return state.waiting.isEmpty ? state.prompting.take() : nil
            }
            prompting?.cancel()
        }
    }
#endif

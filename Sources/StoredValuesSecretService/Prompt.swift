#if Libsecret
    import StoredValuesSupport

    /// A prompt of the service, which may ask the user. Not libsecret's own implementation, whose waiting cannot be ended.
    struct Prompt {
        let daemon: Daemon
        let path: ObjectPath

        private static let interface = "org.freedesktop.Secret.Prompt"

        /// The prompt at `path`; nil for the path by which a service says that there is none.
        init?(daemon: Daemon, path: ObjectPath) {
            guard path != .nowhere else { return nil }
            (self.daemon, self.path) = (daemon, path)
        }

        /// Returns its result. Throws `dismissed`, `noSecretService` if the daemon or its bus ends meanwhile, and `cancelled`.
        @discardableResult
        func perform() throws(SecretServiceError) -> Variant {
            try withNewContext { () throws(SecretServiceError) in
                var outcome: Result<Variant, SecretServiceError>?
                let completed = SignalSubscription(
                    on: daemon.bus, to: Self.interface, of: daemon.name, member: "Completed", path: path.text
                ) { _, parameters in
                    let isDismissed = parameters.has(type: "(bv)") && parameters.child(0).boolean
                    outcome = isDismissed ? .failure(.dismissed) : .success(parameters)
                }
                let owner = SignalSubscription.owner(of: daemon.name, on: daemon.bus) { owner in
                    if owner == nil, outcome == nil { outcome = .failure(.noSecretService) }
                }
                defer { withExtendedLifetime((completed, owner)) {} }
                do throws(SecretServiceError) {
                    _ = try daemon.call("Prompt", of: Self.interface, at: path, [.string("")], reply: "()")
                } catch let error where error.isUndelivered || error.isBroken {
                    throw .noSecretService
                }
                // There is no signal for a bus that closes.
                waitForSignals(every: 1000) { outcome != nil || daemon.bus.isClosed }
                guard let outcome else { throw daemon.bus.isClosed ? .noSecretService : .cancelled }
                return try outcome.get().checked("(bv)", as: "Prompt").child(1)
            }
        }

        /// Closes the user's prompt, only for KWallet and KeePassXC. While an unlock prompt of any program is on the screen,
        /// gnome-keyring aborts when any is dismissed (42.1, `perform_next_unlock: assertion failed: (!self->current)`); its prompt
        /// stays open. So does any prompt in a sandbox that hides these names: `Daemon.isProgram` would call the program itself, which may
        /// hang, and here a call has no deadline any more.
        fileprivate func dismissIfSafe() {
            let names = ["org.kde.kwalletd5", "org.kde.kwalletd6", "org.kde.ksecretd", KnownProgram.keePassXC.name]
            let isSafe = Cancellation().during { names.contains { (try? daemon.bus.owner(of: $0)) == daemon.name } }
            if isSafe { daemon.bus.send("Dismiss", of: Self.interface, at: path, to: daemon.name) }
        }
    }

    extension ItemStore {
        /// How long a prompt may stay open.
        package static let promptLimit = Duration.seconds(120)

        /// Opens the default collection and the items that calls found locked, prompting the user if necessary; true if something was
        /// locked. However many calls on one bus need a prompt, only one is shown, and its answer applies to all calls made before; a
        /// call after a dismissal prompts again. Each ends as soon as its task is cancelled, and the prompt is closed with the last.
        /// Other calls do not wait for it.
        ///
        /// Throws `locked` if a prompt is needed and there is no display, unless `evenWithoutDisplay`, or the answer left something
        /// locked; `dismissed`, `timedOut` (of the prompt after ``promptLimit``), and `noDefaultCollection`.
        package func unlock(evenWithoutDisplay: Bool = false) async throws(SecretServiceError) -> Bool {
            let began = ContinuousClock.now
            guard let locked = try await findLocked() else { return false }
            guard !locked.paths.isEmpty else { return true }
            let hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains { (try? environmentVariable($0))?.isEmpty == false }
            guard evenWithoutDisplay || hasDisplay else { throw .locked }
            try await SharedConnection.to(bus).prompt.show(locked, since: began)
            if let rest = try await findLocked(), !rest.paths.isEmpty { throw .locked }
            return true
        }

        /// On the connection of the calls: KeePassXC unlocks an item only for the connection that requested it.
        fileprivate typealias Locked = (daemon: Daemon, paths: [ObjectPath])

        /// Finds what is locked, and opens what needs no prompt. Nil if all was open.
        private func findLocked() async throws(SecretServiceError) -> Locked? {
            try await call { connection throws(SecretServiceError) in
                let daemon = connection.daemon, collection = try daemon.defaultCollection()
                var locked: [ObjectPath] = []
                for item in connection.lockedItems {
                    if try daemon.isLocked(item: item) { locked.append(item) } else { connection.lockedItems.remove(item) }
                }
                if try daemon.isLocked(collection) { locked.append(collection) }
                guard !locked.isEmpty else { return nil }
                // All of them or none: the open wallet contains the items too.
                if try daemon.isOpenWallet(collectionOf: [collection] + locked) {
                    try connection.unlockQuietly([collection])
                    locked = []
                }
                return (daemon, locked)
            }
        }
    }

    /// The open prompt on one bus, for all calls that wait for its answer.
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

        /// If a prompt is already open, or was answered since the caller `began`, its answer is used.
        fileprivate func show(_ locked: ItemStore.Locked, since began: ContinuousClock.Instant) async throws(SecretServiceError) {
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
            if case .failure(.cancelled) = answer {
                // Closes the prompt when the last waiting caller has given up.
                let prompting = state.withLock { state in
                    state.waiting.removeAll { $0 === shot }
                    return state.waiting.isEmpty ? state.prompting.take() : nil
                }
                prompting?.cancel()
            }
            try answer.get()
        }

        private func prompt(for locked: ItemStore.Locked, _ round: Int) async {
            let answer: Answer
            do throws(SecretServiceError) {
                try await ServiceThread.perform(on: ServiceThread.prompts, deadline: ItemStore.promptLimit) {
                    () throws(SecretServiceError) in
                    guard let prompt = try locked.daemon.beginUnlocking(locked.paths) else { return }
                    do throws(SecretServiceError) { try prompt.perform() } catch .cancelled {
                        prompt.dismissIfSafe()
                        throw .cancelled
                    }
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
    }
#endif

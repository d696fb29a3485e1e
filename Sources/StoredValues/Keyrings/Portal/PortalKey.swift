#if Libsecret
    import StoredValuesSecretService
    import StoredValuesSupport

    /// The master secret that the Secret portal provides for this application. Shared by all keyrings of the process: the portal is
    /// asked once, and the secret is wiped when the last of them is released.
    final class PortalKey: Sendable {
        private typealias Answer = Result<Secret, KeyringError>

        private struct State {
            /// The secret, or why the user or the portal refused; then only ``PortalKey/unlock()`` asks again.
            var last: Answer?
            var isAsking = false
            /// Whether the portal has accepted the request, and so may be prompting the user.
            var isAccepted = false
            /// Whether a call has timed out since, so that others need not wait too.
            var isSlow = false
            var waiting: [OneShot<Answer>] = []
        }

        /// The D-Bus address of the bus to use instead of the session's.
        private let busAddress: String?
        private let state = Guarded(State())
        private let broadcaster = ChangeBroadcaster()

        private static let inUse = WeakTable<[UInt8], PortalKey>()

        /// For the bus at this address; nil is the session's.
        static func shared(onBus address: String?) -> PortalKey {
            inUse.object(for: Array((address ?? "").utf8)) { PortalKey(address) }
        }

        private init(_ busAddress: String?) { self.busAddress = busAddress }

        deinit { Self.inUse.remove(Array((busAddress ?? "").utf8)) }

        /// Identifies this key.
        var place: String { "org.freedesktop.portal.Secret \(busAddress ?? "")" }

        var changes: KeyringChanges { broadcaster.changes { [self] in withExtendedLifetime(self) { nil } } }  // retained by listeners

        /// Nil as long as the portal has not provided it.
        var secret: Secret? { try? state.withLock { $0.last }?.get() }

        /// Requests the secret if necessary, and waits for it; the request continues after `deadline`. Throws `locked` while the user
        /// may be prompted, an earlier refusal, and `timedOut` if the portal does not even accept the request.
        func ask(deadline: Duration) async throws(KeyringError) {
            do {
                try await wait(deadline: deadline, isForUnlock: false)
            } catch .timedOut(let time) {
                let isLocked = state.withLock { state in
                    state.isSlow = state.isAsking && state.isAccepted
                    return state.isSlow
                }
                throw isLocked ? .locked : .timedOut(after: time)
            }
        }

        /// The same, asking again if the user has dismissed the prompt, until the prompt ends.
        func unlock() async throws(KeyringError) {
            // A little longer than the prompt itself, whose end gives the reason.
            try await wait(deadline: .seconds(150), isForUnlock: true)
        }

        private func wait(deadline: Duration, isForUnlock: Bool) async throws(KeyringError) {
            if Task.isCancelled { throw .cancelled }  // before the user is asked
            let shot = OneShot<Answer>()
            let mustBegin = try state.withLock { state throws(KeyringError) -> Bool? in
                if case .success = state.last { return nil }
                if !isForUnlock, state.isSlow { throw .locked }
                if !isForUnlock, !state.isAsking, case .failure(let refusal) = state.last { throw refusal }
                state.waiting.append(shot)
                return !exchange(&state.isAsking, with: true)
            }
            guard let mustBegin else { return }
            if mustBegin {
                SecretPortal.retrieve(
                    on: Bus(busAddress), accepted: { self.state.withLock { $0.isAccepted = true } }, take: { Secret($0) },
                    done: { self.take($0.mapError { KeyringError($0) }) })
            }
            defer { state.withLock { state in state.waiting.removeAll { $0 === shot } } }
            let alarm: Alarm
            do throws(SystemErrorCode) {
                alarm = try Alarm.set(after: deadline) { shot.answer(.failure(.timedOut(after: deadline))) }
            } catch { throw .withoutThread(error) }
            defer { alarm.cancel() }
            _ = try await shot.wait(cancelled: .failure(.cancelled)).get()
        }

        private func take(_ answer: Answer) {
            let waiting = state.withLock { state in
                let ended = exchange(&state, with: State())
                switch answer {
                case .success, .failure(.dismissed), .failure(.locked): state.last = answer
                case .failure(.timedOut) where ended.isAccepted: state.last = .failure(.locked)  // the user did not answer
                case .failure: break
                }
                return ended.waiting
            }
            for shot in waiting { shot.answer(answer) }
            if case .success = answer { broadcaster.announce(.unlocked) }
        }
    }
#endif

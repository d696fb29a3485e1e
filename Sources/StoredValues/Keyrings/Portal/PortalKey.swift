#if Libsecret
    import StoredValuesSecretService
    import StoredValuesSupport

    /// The master secret that the Secret portal on one bus provides for this application. Shared by all keyrings of the process
    /// that use it: the portal is asked once, and the secret is wiped when the last of them is released.
    final class PortalKey: Sendable {
        private typealias Answer = Result<Secret, KeyringError>

        private struct State {
            var secret: Secret?
            /// Why there is none, if the user or the portal refused; then only ``PortalKey/unlock()`` asks again.
            var refusal: KeyringError?
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

        /// The shared instance for the bus at this address; nil is the session's.
        static func shared(onBus address: String?) -> PortalKey {
            inUse.object(for: Array((address ?? "").utf8)) { PortalKey(address) }
        }

        private init(_ busAddress: String?) { self.busAddress = busAddress }

        deinit { Self.inUse.remove(Array((busAddress ?? "").utf8)) }

        /// Identifies this key.
        var place: String { "org.freedesktop.portal.Secret \(busAddress ?? "")" }

        /// Reports that the portal has provided the secret.
        var changes: KeyringChanges { broadcaster.changes }

        /// The master secret, if the portal has provided it.
        var secret: Secret? { state.withLock { $0.secret } }

        /// Waits until the portal has provided the secret, which is requested if necessary. The request continues after `deadline`.
        ///
        /// Throws `locked` while the user may be prompted, an earlier refusal, and `timedOut` if the portal does not even accept
        /// the request.
        func ask(deadline: Duration) async throws(KeyringError) {
            do throws(KeyringError) {
                try await wait(deadline: deadline, isForUnlock: false)
            } catch {
                guard case .timedOut = error else { throw error }
                let isLocked = state.withLock { state in
                    state.isSlow = state.isAsking && state.isAccepted
                    return state.isSlow
                }
                throw isLocked ? .locked : error
            }
        }

        /// The same, asking again if the user has dismissed the prompt, until the prompt ends.
        func unlock() async throws(KeyringError) {
            // A little longer than the prompt itself, whose end gives the reason.
            try await wait(deadline: .seconds(150), isForUnlock: true)
        }

        private func wait(deadline: Duration, isForUnlock: Bool) async throws(KeyringError) {
            let shot = OneShot<Answer>()
            let mustBegin = try state.withLock { state throws(KeyringError) -> Bool? in
                guard state.secret == nil else { return nil }
                let refusal = state.isAsking ? (state.isSlow ? .locked : nil) : state.refusal
                if !isForUnlock, let refusal { throw refusal }
                state.waiting.append(shot)
                defer { state.isAsking = true }
                return !state.isAsking
            }
            guard let mustBegin else { return }
            if mustBegin {
                SecretPortal(bus: Bus(busAddress)).retrieve(
                    accepted: { self.state.withLock { $0.isAccepted = true } }, take: { Secret($0) },
                    done: { self.take($0.mapError { KeyringError($0) }) })
            }
            defer { state.withLock { state in state.waiting.removeAll { $0 === shot } } }
            let alarm: Alarm
            do throws(SystemErrorCode) {
                alarm = try Alarm.set(after: deadline) { shot.answer(.failure(.timedOut(after: deadline))) }
            } catch {
                throw .withoutThread(error)
            }
            defer { alarm.cancel() }
            _ = try await shot.wait(cancelled: .failure(.cancelled)).get()
        }

        private func take(_ answer: Answer) {
            let waiting = state.withLock { state in
                let ended = state
                state = State()
                switch answer {
                case .success(let secret): state.secret = secret
                case .failure(.dismissed): state.refusal = .dismissed
                case .failure(.locked): state.refusal = .locked
                // The user did not answer.
                case .failure(.timedOut) where ended.isAccepted: state.refusal = .locked
                case .failure: break
                }
                return ended.waiting
            }
            for shot in waiting { shot.answer(answer) }
            if case .success = answer { broadcaster.announce(.unlocked) }
        }
    }
#endif

import StoredValuesSupport

/// The master secret that the Secret portal on one bus hands this application. All keyrings of the process that use it share it:
/// the portal is asked once, and wiped it is when the last of them goes.
final class PortalKey: Sendable {
    typealias Answer = Result<Secret, KeyringError>

    private struct State {
        var secret: Secret?
        /// Why there is none, where the user or the portal said so; only ``PortalKey/unlock()`` asks again then.
        var refusal: KeyringError?
        var isAsking = false
        /// Whether the portal has taken the question, and so may be asking the user.
        var isAccepted = false
        /// Whether somebody has waited in vain since, so that others need not wait, too.
        var isSlow = false
        /// Whether a call was told that the keyring is locked.
        var wasMissed = false
        var waiting: [OneShot<Answer>] = []
    }

    /// The D-Bus address of the bus to use instead of the session's.
    let busAddress: String?
    private let state = Guarded(State())
    private let broadcaster = ChangeBroadcaster()

    private static let inUse = WeakTable<[UInt8], PortalKey>()

    /// The one of the bus at this address; nil is the session's.
    static func shared(onBus address: String?) -> PortalKey {
        inUse.object(for: Array((address ?? "").utf8)) { PortalKey(address) }
    }

    private init(_ busAddress: String?) { self.busAddress = busAddress }

    deinit { Self.inUse.remove(Array((busAddress ?? "").utf8)) }

    /// What tells this key from others.
    var place: String { "org.freedesktop.portal.Secret \(busAddress ?? "")" }

    /// Tells when the portal has answered a question that somebody did not wait for.
    var changes: KeyringChanges { broadcaster.changes }

    /// The master secret, if the portal has handed it out.
    var secret: Secret? { state.withLock { $0.secret } }

    /// Waits until the portal has handed out the secret, which is asked for if it was not. The question goes on after `deadline`.
    ///
    /// Throws `locked` while the user may be asked, what was answered before, and `timedOut` where the portal does not even take
    /// the question.
    func ask(deadline: Duration) async throws(KeyringError) {
        if let refusal = refusalToWait() { throw refusal }
        do throws(KeyringError) {
            try await wait(deadline: deadline)
        } catch {
            guard case .timedOut = error else { throw error }
            let isLocked = state.withLock { state in
                state.isSlow = state.isAsking && state.isAccepted
                state.wasMissed = true
                return state.isSlow
            }
            throw isLocked ? .locked : error
        }
    }

    /// The same, asking again where the user has dismissed the question, for as long as it stands.
    func unlock() async throws(KeyringError) {
        // A little longer than the question itself, which is to say why it ended.
        try await wait(deadline: .seconds(150))
    }

    private func refusalToWait() -> KeyringError? {
        state.withLock { state in
            guard state.secret == nil else { return nil }
            let refusal = state.isAsking ? (state.isSlow ? .locked : nil) : state.refusal
            if refusal != nil { state.wasMissed = true }
            return refusal
        }
    }

    private func wait(deadline: Duration) async throws(KeyringError) {
        let shot = OneShot<Answer>()
        let (isKnown, isFirst) = state.withLock { state in
            guard state.secret == nil else { return (true, false) }
            state.waiting.append(shot)
            defer { state.isAsking = true }
            return (false, !state.isAsking)
        }
        guard !isKnown else { return }
        if isFirst { begin() }
        defer { state.withLock { state in state.waiting.removeAll { $0 === shot } } }
        _ = try await shot.wait(
            deadline: (max(.zero, deadline), .failure(.timedOut(after: deadline))), cancelled: .failure(.cancelled)
        ).get()
    }

    /// The portal has taken the question.
    func wasAccepted() { state.withLock { $0.isAccepted = true } }

    /// The question is answered.
    func take(_ answer: Answer) {
        let (waiting, isNews) = state.withLock { state in
            let ended = state
            state = State(wasMissed: ended.wasMissed)
            switch answer {
            case .success(let secret): (state.secret, state.wasMissed) = (secret, false)
            case .failure(.dismissed): state.refusal = .dismissed
            case .failure(.locked): state.refusal = .locked
            // The user did not answer.
            case .failure(.timedOut) where ended.isAccepted: state.refusal = .locked
            case .failure: break
            }
            return (ended.waiting, ended.wasMissed && state.secret != nil)
        }
        for shot in waiting { shot.answer(answer) }
        if isNews { broadcaster.announce(.unlocked) }
    }
}

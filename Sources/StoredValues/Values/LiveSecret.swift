import Dispatch
import StoredValuesSupport

/// The one live value that all wrappers of a secret in a keyring share.
///
/// Changes go to the keyring one after another, and memory follows the keyring: an answer requested before a change of ours
/// does not replace its outcome.
final class LiveSecret<Item: StorableItem>: Sendable {
    struct State {
        var plan = ReloadPlan()
        /// Getters that wait for the read under way.
        var waiting: [DispatchSemaphore] = []
        /// Retained for a keyring that reports changes only of secrets in use.
        var interest: (any Sendable)?
    }

    let id: SecretIdentifier
    let keyring: any Keyring
    let live: LiveValue<SecretContent<Item>, Item>
    /// The listener for all secrets of the keyring.
    let ear: LiveKeyring
    /// Serialises changes of the secret.
    let turns = OrderedAccess()
    /// Serialises changes by closures that may await.
    let updates = OrderedAccess()
    let executor = LoadingExecutor()
    /// Locked while the content changes.
    let state = Guarded(State())

    /// The secret `id`, read from `keyring`. Use ``LiveKeyring/secret(_:in:as:)`` to get one.
    init(_ id: SecretIdentifier, in keyring: any Keyring, heardBy ear: LiveKeyring) {
        (self.id, self.keyring, self.ear) = (id, keyring, ear)
        live = LiveValue(.unknown)
    }

    deinit { ear.forget(id, as: Item.self) }

    /// Publishes an answer of the keyring, unless a newer one is known. Returns whether memory now holds the same.
    ///
    /// - Parameter question: The request that it answers. Nil for the outcome of a change of ours and for a notification,
    ///   neither of which may be replaced by the answer to an earlier request.
    @discardableResult
    func take(_ content: SecretContent<Item>, answerTo question: UInt64? = nil) -> Bool {
        var later = AfterUnlocking()
        defer { later.run() }
        return state.withLock { state in
            let isNewest = state.plan.accept(answerTo: question)
            if content.says(live.current.content) { return true }
            if isNewest { live.change(to: content, &later) }
            return isNewest
        }
    }

    /// Called by a getter that has waited for `time`: the content becomes unavailable until the answer arrives.
    func giveUp(after time: Duration) {
        var later = AfterUnlocking()
        defer { later.run() }
        state.withLock { _ in
            if case .unknown = live.current.content { live.change(to: .unavailable(.timedOut(after: time)), &later) }
        }
    }
}

// MARK: Listening

extension LiveSecret: ListeningSecret {
    var itemType: any Any.Type { Item.self }

    /// Begins to listen: later changes are seen.
    func listen() {
        ear.listen()
        guard state.withLock({ $0.interest == nil }), let interest = keyring.watch(id) else { return }
        state.withLock { $0.interest = $0.interest ?? interest }
    }

    func follow(_ secret: Secret?) {
        guard state.withLock({ $0.plan.isAsked }) else { return }
        if let secret, let item = try? SecretCoding.decode(Item.self, from: secret) {
            take(.value(item, secret))
        } else if secret == nil {
            take(.absent)
        }
        // Another process's change after that one may already have been seen and read here.
        reload(anew: true)
    }

    func hear(_ change: KeyringChange) {
        guard state.withLock({ $0.plan.isAsked }) else { return }
        switch change {
        case .secret, .anySecret, .unlocked:
            reload(anew: true)
        case .locked:
            take(.unavailable(.locked))
            reload(anew: true)  // another collection of the keyring may still be open
        case .unavailable(let error):
            take(.unavailable(error))  // not asked again: that would start another daemon in place of the one that quit
        }
    }
}

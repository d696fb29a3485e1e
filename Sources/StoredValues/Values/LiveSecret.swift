import Dispatch
import StoredValuesSupport

/// The one value that all wrappers of a secret in a keyring share.
///
/// Changing calls go to the keyring one after another, and memory follows the keyring: an answer that was asked for before
/// a change of ours is not put over it.
final class LiveSecret<Item: StorableItem>: Sendable {
    struct State {
        var plan = ReloadPlan()
        /// Getters that wait for the reading under way.
        var waiting: [DispatchSemaphore] = []
        /// What a keyring wants to be held as long as it is to tell of changes of this secret.
        var interest: (any Sendable)?
    }

    let id: SecretIdentifier
    let keyring: any Keyring
    let live: LiveValue<SecretContent<Item>, Item>
    /// What hears for all secrets of the keyring.
    let ear: LiveKeyring
    /// Whose turn it is to change the secret.
    let turns = OrderedAccess()
    /// Whose turn it is to change the secret by a closure that may wait for something else.
    let updates = OrderedAccess()
    let executor = LoadingExecutor()
    /// Held while the content is changed.
    let state = Guarded(State())

    /// The secret `id`, which `keyring` is asked for. To be had of ``LiveKeyring/secret(_:in:as:)``.
    init(_ id: SecretIdentifier, in keyring: any Keyring, heardBy ear: LiveKeyring) {
        (self.id, self.keyring, self.ear) = (id, keyring, ear)
        live = LiveValue(.unknown)
    }

    deinit { ear.forget(id, as: Item.self) }

    /// Takes over an answer of the keyring, unless a newer one is known. Returns whether memory says the same then.
    ///
    /// - Parameter question: What it answers. Nil for the outcome of a change of ours, and for what was heard, which no answer
    ///   must replace that was asked for before.
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

    /// Lets a getter that has waited for `time` say so; the answer that it waited for counts when it comes.
    func giveUp(after time: Duration) {
        var later = AfterUnlocking()
        defer { later.run() }
        state.withLock { _ in
            if case .unknown = live.current.content { live.change(to: .unavailable(.timedOut(after: time)), &later) }
        }
    }
}

// MARK: Hearing

extension LiveSecret: ListeningSecret {
    var itemType: any Any.Type { Item.self }

    /// Begins to hear of changes: those after this are heard.
    func listen() {
        ear.listen()
        guard state.withLock({ $0.interest == nil }), let interest = keyring.interestIfSelective(in: id) else { return }
        state.withLock { $0.interest = $0.interest ?? interest }
    }

    func follow(_ secret: Secret?) {
        guard state.withLock({ $0.plan.isAsked }) else { return }
        if let secret, let item = try? SecretCoding.decode(Item.self, from: secret) {
            take(.value(item, secret))
        } else if secret == nil {
            take(.absent)
        }
        // Another process's change after that one may have been heard and read here already.
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
            take(.unavailable(error))  // not asked again: that would start another keyring in place of the one that went
        }
    }
}

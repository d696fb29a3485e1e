import Dispatch
import StoredValuesSupport

/// The one live value that all wrappers of a secret in a keyring share. ``SecretState`` decides; this carries it out.
@usableFromInline
final class LiveSecret<Item: StorableItem>: Sendable {
    let id: SecretIdentifier
    let keyring: any Keyring
    let live = LiveValue<SecretContent<Item>, Item>(.unknown)
    @usableFromInline let ready: ReadyItem<Item>
    private let listener: LiveKeyring
    private let executor = LoadingExecutor()
    private let state = Guarded(SecretState<Item>())
    /// Whether it listens to changes, and what ``Keyring/watch(_:)`` returned, which is retained while the secret is in use.
    private let listening = Guarded<(hasBegun: Bool, interest: (any Sendable)?)>((false, nil))

    /// The secret `id`, read from `keyring`. Use ``LiveKeyring/secret(_:in:as:)`` to get one.
    init(_ id: SecretIdentifier, in keyring: any Keyring, listener: LiveKeyring) {
        (self.id, self.keyring, self.listener, ready) = (id, keyring, listener, live.ready)
    }

    deinit { listener.forget(id, as: Item.self) }

    /// `reason` together with the secret it is about.
    func failure(_ reason: KeyringError) -> SecretError {
        SecretError(reason: reason, id: id, keyring: keyring.description)
    }

    /// Passes an event to the state, and carries out the actions that it returns. Returns the ``SecretState/Action/reply(_:)``, if any.
    @discardableResult
    func carryOut(_ event: (inout SecretState<Item>) -> [SecretState<Item>.Action]) -> SecretContent<Item>? {
        var later = AfterUnlocking()
        let actions = state.withLock { state in
            let actions = event(&state)
            for case .publish(let content) in actions { live.change(to: content, &later) }
            return actions
        }
        later.run()
        var reply: SecretContent<Item>?
        for action in actions {
            switch action {
            case .publish: break  // done
            case .wake(let waiters, let error): for waiter in waiters { waiter.wake(error) }
            case .read(let rest):
                Task(executorPreference: executor) {
                    if rest > .zero { _ = await pause(for: rest) }
                    await self.ask(inBackground: true)
                }
            case .retry(let delay):
                Task.detached { [weak self] in
                    _ = await pause(for: delay)
                    self?.carryOut { $0.retryIsDue() }
                }
            case .reply(let content): reply = content
            }
        }
        return reply
    }

    // MARK: Reading

    /// When a getter that begins now gives up, in nanoseconds of the monotonic clock.
    static var endOfWaiting: Int64 { monotonicNanoseconds() + getterDeadline.nanoseconds }

    /// The known content. While nothing is known, it asks the keyring and waits for the answer, until `end` at the latest.
    func content(by end: Int64? = nil) -> SecretContent<Item> {
        let (content, revision) = live.current
        switch content {
        case .value, .absent: live.makeReady(content.item.map { Box($0) }, ifStill: revision)
        case .unavailable: readIfUnanswered()
        case .unknown:
            let getter = Waiter()
            carryOut { $0.get(getter) }
            if !getter.wait(until: end ?? Self.endOfWaiting) { carryOut { $0.gaveUp(after: getterDeadline) } }
            return live.current.content
        }
        return content
    }

    /// Reads the keyring in the background if it has given no answer yet, unless a read is under way.
    func readIfUnanswered() { carryOut { $0.readIfUnanswered() } }

    /// Asks the keyring. It shares no read that is under way, because it must see what was stored before the call.
    func load() async throws(SecretError) -> Item? { try await ask().answer.mapError(failure).get() }

    /// Asks the keyring, or `locked` in its place, once, unless the state says not to. Returns its answer, or a newer one known by then.
    @discardableResult
    func ask(inBackground: Bool = false, _ locked: (any Keyring)? = nil) async -> SecretContent<Item> {
        await listen()
        guard let question = state.withLock({ $0.questionBegan(inBackground: inBackground) }) else { return .unknown }
        let answer: SecretContent<Item>
        do throws(KeyringError) {
            let secret = try await (locked ?? keyring).read(id)
            answer = if let secret { .value(try SecretCoding.decode(Item.self, from: secret), secret) } else { .absent }
        } catch {
            answer = .unavailable(error)
        }
        return carryOut { $0.answered(answer, to: question) } ?? answer
    }

    /// Stores the content in `keyring`, which is this one, perhaps with its lock held; or removes the secret if it is absent.
    func store(_ content: SecretContent<Item>, in keyring: any Keyring) async throws(KeyringError) {
        await listen()
        state.withLock { $0.changeBegan() }
        do throws(KeyringError) {
            if let secret = content.secret {
                try await keyring.write(secret, for: id, label: id.description)
            } else {
                try await keyring.remove(id)
            }
        } catch {
            carryOut { $0.changeFailed(error) }
            throw error
        }
        carryOut { $0.changed(to: content) }
        listener.pass(content.secret, of: id, from: self)
    }

    /// Begins to listen to changes, which may have to wait for a disk; waits at most ``subscriptionDeadline``.
    private func listen() async {
        guard !listening.withLock({ $0.hasBegun }) else { return }
        do throws(KeyringError) {
            // Weakly, because the queue releases the closure a moment after the answer, when the caller may already use the key with another type.
            try await listener.queue.perform(deadline: subscriptionDeadline) { [weak self] isWanted throws(KeyringError) in
                guard let self else { return }
                beginListening()
                if !isWanted() { hear(.secret(id)) }  // the caller has given up, and read before it listened
            }
        } catch .cancelled {
            // The next call listens.
        } catch {
            // Later calls do not wait again: it listens, and is read again, as soon as the disk responds or a thread can be started.
            listening.withLock { $0.hasBegun = true }
            listener.queue.async { [weak self] in
                guard let self else { return }
                beginListening()
                hear(.secret(id))
            }
        }
    }

    private func beginListening() {
        listener.listen()
        let new = keyring.watch(id)  // without the lock: a keyring may be the user's
        listening.withLock { $0 = (true, $0.interest ?? new) }
    }
}

extension LiveSecret: ListeningSecret {
    var itemType: any Any.Type { Item.self }

    func hear(_ change: KeyringChange) { carryOut { $0.heard(change) } }

    func follow(_ secret: Secret?) {
        let content: SecretContent<Item>? =
            if let secret { (try? SecretCoding.decode(Item.self, from: secret)).map { .value($0, secret) } } else { .absent }
        carryOut { $0.followed(content) }
    }
}

/// How long a getter waits for the first answer.
private let getterDeadline = Duration.seconds(5)

/// How long a call waits for its secret to listen to changes. Shorter than a getter's deadline, to leave time for the keyring.
private let subscriptionDeadline = Duration.seconds(2)

/// A getter that blocks its thread, or a task that is suspended, until it is woken.
final class Waiter: Sendable, Equatable {
    private let turn = OneShot<KeyringError?>()
    private let signal = MonotonicSemaphore()

    func wake(_ error: KeyringError?) {
        turn.answer(error)
        signal.signal()
    }

    /// Blocks the thread. False if it was not woken until `end`, in nanoseconds of the monotonic clock.
    func wait(until end: Int64) -> Bool { signal.wait(until: end) }

    /// Returns nil when it is woken, or the error that ended the wait, such as ``KeyringError/cancelled``.
    func wait() async -> KeyringError? { await turn.wait(cancelled: .cancelled) }

    static func == (left: Waiter, right: Waiter) -> Bool { left === right }
}

/// Loads a secret, even while getters that wait for it block all threads of the cooperative pool (SE-0417).
private final class LoadingExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "StoredValues.keyring")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

import Dispatch
import StoredValuesSupport
import Synchronization

/// What this process knows of a secret.
enum SecretContent<Item: StorableItem>: Sendable {
    /// The keyring was not asked yet.
    case unknown
    case value(Item, Secret)
    case absent
    case unavailable(KeyringError)

    /// The item to show; nil means only that none is at hand.
    var item: Item? {
        if case .value(let item, _) = self { item } else { nil }
    }

    /// Whether a getter has a reason to ask the keyring again.
    var isAnswer: Bool {
        switch self {
        case .value, .absent: true
        case .unknown, .unavailable: false
        }
    }
}

/// The one value that all wrappers of a secret in a keyring share.
///
/// Changing calls go to the keyring one after another, and memory follows the keyring: an answer that was asked for before
/// a change of ours is not put over it.
final class LiveSecret<Item: StorableItem>: Sendable {
    /// How long a getter waits for the first answer.
    private static var getterDeadline: Duration { .seconds(5) }

    let id: SecretIdentifier
    let keyring: any Keyring
    let live: LiveValue<SecretContent<Item>, Item>
    private let listener: KeyringListener
    private let changes = OrderedAccess()
    private let executor = LoadingExecutor()
    private let plan = Guarded(ReloadPlan())
    private let patience = Guarded(Patience())
    /// Until somebody asks, nobody needs to hear of changes.
    private let isAsked = Atomic(false)

    /// The secret `id` of `keyring`. It keeps `listener`, which has to be told of it.
    init(_ id: SecretIdentifier, in keyring: any Keyring, heardBy listener: KeyringListener) {
        self.id = id
        self.keyring = keyring
        self.listener = listener
        live = LiveValue(.unknown)
    }

    // MARK: Reading

    /// What is known now; the first time ever it asks the keyring and waits for the answer, up to the deadline.
    func contentAtHand() -> SecretContent<Item> {
        let (content, revision) = live.current
        switch content {
        case .value(let item, _):
            live.makeReady(item, ifStill: revision)
            return content
        case .absent:
            live.makeReady(nil, ifStill: revision)
            return content
        case .unavailable:
            reload()
            return content
        case .unknown:
            beginFirstLoading().map(wait)
            return live.current.content
        }
    }

    /// The first question to the keyring, which a getter waits for.
    struct FirstLoading {
        fileprivate let task: Task<Void, Never>
        fileprivate let isDone: DispatchSemaphore
        fileprivate let end = DispatchTime.now() + LiveSecret.getterDeadline.dispatchInterval
        fileprivate let revision: UInt64
    }

    /// Asks a keyring that was not asked yet, and does not wait; nil where it was.
    func beginFirstLoading() -> FirstLoading? {
        guard case (.unknown, let revision) = live.current else { return nil }
        let isDone = DispatchSemaphore(value: 0)
        let task = Task(executorPreference: executor) {
            _ = try? await self.load()  // The error is the content then.
            isDone.signal()
        }
        return FirstLoading(task: task, isDone: isDone, revision: revision)
    }

    /// Waits for the answer, up to the deadline.
    func wait(for loading: FirstLoading) {
        guard loading.isDone.wait(timeout: loading.end) == .timedOut else { return }
        loading.task.cancel()
        take(.unavailable(.timedOut(after: Self.getterDeadline)), ifStill: loading.revision)
        askLater()
    }

    /// Asks the keyring.
    func load() async throws(KeyringError) -> Item? {
        for _ in 0..<3 {
            let (_, answer, isCurrent) = await ask()
            // Another reading of ours that began earlier may have answered meanwhile, with what was stored then.
            if isCurrent || plan.withLock({ $0.isChanging }) { return try answer.get() }
        }
        return try await ask().answer.get()
    }

    /// Asks the keyring in the background, unless that is going on; with `anew`, once more after that.
    func reload(anew: Bool = false) {
        if plan.withLock({ $0.request(anew: anew) }) { beginReloading() }
    }

    private func beginReloading() {
        Task(executorPreference: executor) {
            var isDue = true
            while isDue {
                let rest = self.plan.withLock { $0.rest }
                if rest > .zero { _ = await pause(for: rest) }
                // Beside a change of ours an answer would not be put over what is known. An error is the content then.
                let isInVain = self.plan.withLock { $0.isChanging } && self.live.current.content.isAnswer
                let isCurrent = isInVain ? false : await self.ask().isCurrent
                isDue = self.plan.withLock { $0.readingEnded(isCurrent: isCurrent) }
            }
        }
    }

    /// Asks again after a while: a daemon that hung and goes on tells nobody.
    private func askLater() {
        guard let delay = patience.withLock({ $0.begin() }) else { return }
        Task.detached { [weak self] in
            let isOver = await pause(for: delay)
            guard let self else { return }
            self.patience.withLock { $0.end() }
            if isOver { self.reload() }
        }
    }

    /// How long to wait before a keyring that did not answer is asked again: longer each time.
    private struct Patience {
        private var delay = Duration.seconds(1)
        private var isWaiting = false

        /// Returns nil when somebody waits already.
        mutating func begin() -> Duration? {
            guard !isWaiting else { return nil }
            isWaiting = true
            defer { delay = min(delay * 2, .seconds(60)) }
            return delay
        }

        mutating func end() { isWaiting = false }

        mutating func wasAnswered() { delay = .seconds(1) }
    }

    /// Asks the keyring, and takes over what it says unless memory may know better: then it is not the current answer.
    ///
    /// Returns what the keyring `said`; the `answer` for whoever reads, which is what a change of ours left where one came in
    /// between; and whether memory says now what the keyring said.
    private func ask() async -> (
        said: Result<Item?, KeyringError>, answer: Result<Item?, KeyringError>, isCurrent: Bool
    ) {
        isAsked.store(true, ordering: .relaxed)
        let before = live.current
        let isChanging = plan.withLock { $0.isChanging }
        let content: SecretContent<Item>
        do throws(KeyringError) {
            if let secret = try await keyring.read(id) {
                content = .value(try SecretCoding.decode(Item.self, from: secret), secret)
            } else {
                content = .absent
            }
        } catch {
            // A task that was cancelled has learnt nothing about the keyring.
            guard error != .cancelled else { return (.failure(error), .failure(error), true) }
            defer { if case .timedOut = error { askLater() } }
            return (.failure(error), .failure(error), take(.unavailable(error), ifStill: before.revision))
        }
        patience.withLock { $0.wasAnswered() }
        // It may be older than what a change under way has stored, or newer; that change leaves no such doubt.
        let said = Result<Item?, KeyringError>.success(content.item)
        if isChanging, before.content.isAnswer { return (said, said, false) }
        if take(content, ifStill: before.revision) { return (said, said, true) }
        // A change of ours came in between: that is the newer answer.
        let current = live.current.content
        return (said, current.isAnswer ? .success(current.item) : said, false)
    }

    /// Takes over an answer, unless a newer one came in between. Returns whether it was the newest.
    ///
    /// Without a revision it is the outcome of a change of ours, which answers that were asked for earlier must not replace,
    /// even where it says what was known before.
    @discardableResult
    private func take(_ content: SecretContent<Item>, ifStill revision: UInt64? = nil) -> Bool {
        let (old, oldRevision) = live.current
        if content.says(old) {
            if revision == nil { live.confirm() }
            return revision == nil || revision == oldRevision
        }
        var later = AfterUnlocking()
        defer { later.run() }
        return live.change(to: content, ifStill: revision, &later)
    }

    // MARK: Changing

    func set(_ item: Item) async throws(KeyringError) {
        let secret = try SecretCoding.encode(item)
        try await changes.perform { () async throws(KeyringError) in try await write(item, secret, in: keyring) }
    }

    func reset() async throws(KeyringError) {
        try await changes.perform { () async throws(KeyringError) in try await remove(from: keyring) }
    }

    /// Reads the keyring, lets `change` work on the item, and stores what it leaves, or removes it when that is nil, all under
    /// the keyring's lock where it has one. Where it changes nothing, or says so, nothing is stored: where there is no lock,
    /// another process may have stored something else meanwhile. Who is refused the lock may still find nothing to change.
    func update<Result: Sendable>(
        _ change: @Sendable (inout Item?) throws(KeyringError) -> (result: Result, isChanged: Bool)
    ) async throws(KeyringError) -> Result {
        try await changes.perform { () async throws(KeyringError) in
            let locked: Swift.Result<any Keyring, KeyringError>
            do throws(KeyringError) {
                locked = .success(try await keyring.lockedIfPossible(for: id))
            } catch {
                guard error == .accessDenied || error == .readOnly else {
                    changeFailed(error)
                    throw error
                }
                locked = .failure(error)
            }
            // Not what memory answers: a reading that began earlier may have put there what was stored before the lock was had.
            let before = try await ask().said.get()
            // Encoded now, for an object is changed in place.
            let bytesBefore = before.flatMap { try? SecretCoding.encode($0) }
            var item = before
            let (result, isChanged) = try change(&item)
            guard isChanged else { return result }
            if let item {
                let bytes = try SecretCoding.encode(item)
                if bytes != bytesBefore { try await write(item, bytes, in: locked.get()) }
            } else if before != nil {
                try await remove(from: locked.get())
            }
            return result
        }
    }

    private func write(_ item: Item, _ secret: Secret, in keyring: any Keyring) async throws(KeyringError) {
        try await changing { () async throws(KeyringError) in
            try await keyring.write(secret, for: id, label: id.description)
            take(.value(item, secret))
            listener.pass(secret, of: id, from: self)
        }
    }

    private func remove(from keyring: any Keyring) async throws(KeyringError) {
        try await changing { () async throws(KeyringError) in
            try await keyring.remove(id)
            take(.absent)
            listener.pass(nil, of: id, from: self)
        }
    }

    /// Runs a change and takes its outcome over; when it fails, memory no longer claims to know.
    private func changing(_ change: () async throws(KeyringError) -> Void) async throws(KeyringError) {
        isAsked.store(true, ordering: .relaxed)
        plan.withLock { $0.changeBegan() }
        if live.current.content.isAnswer { live.confirm() }  // answers that were asked for before are outdated
        defer { if plan.withLock({ $0.changeEnded() }) { beginReloading() } }
        do throws(KeyringError) {
            try await change()
        } catch {
            changeFailed(error)
            throw error
        }
    }

    private func changeFailed(_ error: KeyringError) {
        switch error {
        case .tooLarge, .notDecodable, .notStored, .readOnly: break  // the keyring answers, and holds what it held
        case .cancelled, .timedOut, .other: reload(anew: true)  // whether it happened, only the keyring knows
        default: take(.unavailable(error))
        }
    }
}

// MARK: Hearing

extension LiveSecret: ListeningSecret {
    func follow(_ secret: Secret?) {
        guard isAsked.load(ordering: .relaxed) else { return }
        if let secret, let item = try? SecretCoding.decode(Item.self, from: secret) {
            take(.value(item, secret))
        } else if secret == nil {
            take(.absent)
        }
        // Another process's change after that one may have been heard and read here already.
        reload(anew: true)
    }

    func hear(_ change: KeyringChange) {
        guard isAsked.load(ordering: .relaxed) else { return }
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

extension SecretContent {
    /// Whether both say the same, so that taking one for the other is no change.
    func says(_ other: SecretContent) -> Bool {
        switch (self, other) {
        case (.unknown, .unknown), (.absent, .absent): true
        case (.value(_, let secret), .value(_, let otherSecret)): secret == otherSecret
        case (.unavailable(let error), .unavailable(let otherError)): error == otherError
        default: false
        }
    }
}

import StoredValuesSupport

@testable import StoredValues

/// A keyring of one secret, in which a test can hold up reads after they have looked, and writes before they have stored.
final class SteeredKeyring: Keyring {
    private struct State {
        var secret: Secret?
        var holdsReads = false
        var holdsWrites = false
        /// Reads and writes that are held up; the oldest first.
        var held: [CheckedContinuation<Void, Never>] = []
        var accountsRead: [String] = []
    }

    private let state = Guarded(State())

    var description: String { "a keyring that a test steers" }
    let broadcaster = ChangeBroadcaster()
    var changes: KeyringChanges { broadcaster.changes }

    /// How often it was read.
    var reads: Int { accountsRead.count }

    /// Whose secrets were read, in this order.
    var accountsRead: [String] { state.withLock { $0.accountsRead } }

    /// What it keeps. Setting it is what another process does.
    var secret: Secret? {
        get { state.withLock { $0.secret } }
        set {
            let old = state.withLock { state in
                let old = state.secret
                state.secret = newValue
                return old
            }
            withExtendedLifetime(old) {}
        }
    }

    /// Holds up reads from now on: each has seen the secret, and does not return it before it is released.
    func holdReads() { state.withLock { $0.holdsReads = true } }

    /// Holds up writes from now on.
    func holdWrites() { state.withLock { $0.holdsWrites = true } }

    /// How many are held up.
    var heldCount: Int { state.withLock { $0.held.count } }

    /// Whether one is held up.
    var isHolding: Bool { heldCount > 0 }

    /// Lets all of them go on, and holds up no more.
    func release() {
        holdNoMore()
        let held = state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
        for call in held { call.resume() }
    }

    /// Holds up no more; those that are held up stay so.
    func holdNoMore() { state.withLock { ($0.holdsReads, $0.holdsWrites) = (false, false) } }

    /// Lets one go on: of those that are held up the one at `position`.
    func release(at position: Int) { state.withLock { $0.held.remove(at: position) }.resume() }

    private func wait(if isHeld: (inout State) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                let isHeld = isHeld(&state)
                if isHeld { state.held.append(continuation) }
                return isHeld
            }
            if !isHeld { continuation.resume() }
        }
    }

    func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? {
        let found = secret
        await wait { state in
            state.accountsRead.append(id.account)
            return state.holdsReads
        }
        return found
    }

    func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) {
        await wait { $0.holdsWrites }
        self.secret = secret
    }
    func remove(_ id: SecretIdentifier) async throws(KeyringError) { secret = nil }
    func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] { [] }
    func unlock() async throws(KeyringError) {}
}

/// A keyring in memory of which a test lets the n-th call fail.
struct FailingKeyring: Keyring {
    /// When calls fail: several keyrings may share it.
    final class Plan: Sendable {
        enum Moment: CaseIterable { case before, after }

        private struct State {
            var calls = 0
            var failing: Range<Int> = 0..<0
            var moment = Moment.before
        }

        private let state = Guarded(State())

        /// How many calls there were since the last `fail`.
        var calls: Int { state.withLock { $0.calls } }

        /// Counts anew, and lets the calls with these numbers fail, before or after they did their work.
        func fail(_ calls: Range<Int>, _ moment: Moment) {
            state.withLock { $0 = State(failing: calls, moment: moment) }
        }

        /// Counts a call; when it shall fail, the moment to do so.
        fileprivate func next() -> Moment? {
            state.withLock { state in
                defer { state.calls += 1 }
                return state.failing.contains(state.calls) ? state.moment : nil
            }
        }
    }

    let inner = InMemoryKeyring()
    let plan: Plan

    var description: String { "a keyring that fails as planned" }
    var changes: KeyringChanges { inner.changes }

    func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? {
        try await perform { () async throws(KeyringError) in try await inner.read(id) }
    }
    func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) {
        try await perform { () async throws(KeyringError) in try await inner.write(secret, for: id, label: label) }
    }
    func remove(_ id: SecretIdentifier) async throws(KeyringError) {
        try await perform { () async throws(KeyringError) in try await inner.remove(id) }
    }
    func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] {
        try await perform { () async throws(KeyringError) in try await inner.identifiers(inService: service) }
    }
    func unlock() async throws(KeyringError) {}

    private func perform<Result>(
        _ call: () async throws(KeyringError) -> Result
    ) async throws(KeyringError) -> Result {
        let moment = plan.next()
        if moment == .before { throw .locked }
        let result = try await call()
        if moment == .after { throw .timedOut(after: .seconds(5)) }
        return result
    }
}

extension FailingKeyring: Hashable {
    static func == (left: FailingKeyring, right: FailingKeyring) -> Bool { left.inner === right.inner }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(inner)) }
}

/// A keyring of somebody's own around one in memory. All say the same of themselves.
protocol ForwardingKeyring: Keyring {
    var inner: InMemoryKeyring { get }
}

extension ForwardingKeyring {
    var description: String { "the company's secrets" }
    func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? { try await inner.read(id) }
    func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) {
        try await inner.write(secret, for: id, label: label)
    }
    func remove(_ id: SecretIdentifier) async throws(KeyringError) { try await inner.remove(id) }
    func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] {
        try await inner.identifiers(inService: service)
    }
}

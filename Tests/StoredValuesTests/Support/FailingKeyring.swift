import StoredValuesSupport
import StoredValues

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

import StoredValuesSupport

/// A keyring in this process's memory, for tests and previews. Each instance is separate, and its secrets are lost with it.
///
/// It fulfils the whole contract of ``Keyring``, and can be made to fail as a real one does: see ``inject(_:)``.
public final class InMemoryKeyring: Keyring {
    /// A simulated fault of the keyring.
    public enum Fault: Hashable, Sendable {
        /// It is locked until ``InMemoryKeyring/unlock()``: all other calls throw ``KeyringError/locked``.
        case locked
        /// No service answers: every call throws ``KeyringError/noSecretService``.
        case gone
        /// It is locked, and the user dismisses every prompt: `unlock()` throws ``KeyringError/dismissed``.
        case dismissing
        /// Every call takes this long, and throws ``KeyringError/timedOut(after:)`` if that exceeds the deadline.
        case slow(Duration)

        /// What calls throw, if this is an outage.
        fileprivate var error: KeyringError? {
            switch self {
            case .locked, .dismissing: .locked
            case .gone: .noSecretService
            case .slow: nil
            }
        }
    }

    private struct State {
        var secrets: [SecretIdentifier: Secret] = [:]
        var fault: Fault?
    }

    private let state = Guarded(State())
    private let broadcaster = ChangeBroadcaster()
    private let deadline: Duration

    /// An empty keyring whose calls end after `deadline`.
    public init(deadline: Duration = .seconds(5)) { self.deadline = deadline }

    /// A keyring with these texts, by the keys of the application's secrets.
    package convenience init(secrets: [String: String]) {
        self.init()
        for (key, text) in secrets {
            let id = SecretIdentifier(service: StorageSystem.applicationID, account: key)
            state.withLock { $0.secrets[id] = Secret(text.utf8) }
        }
    }

    /// The kind of keyring.
    public var description: String { "a keyring in this process's memory" }

    /// Written and removed secrets, and injected outages.
    public var changes: KeyringChanges { broadcaster.changes }

    /// Makes all calls from now on fail with `fault`, or work again with nil. The secrets stay.
    public func inject(_ fault: Fault?) {
        let before = state.withLock { exchange(&$0.fault, with: fault)?.error }
        guard before != fault?.error else { return }
        broadcaster.announce(fault?.error.map { $0 == .locked ? .locked : .unavailable($0) } ?? .unlocked)
    }

    /// The secret, or nil; throws the error of the injected fault.
    public func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? {
        try await perform { state in state.secrets[id] }
    }

    /// Stores the secret. Throws ``KeyringError/tooLarge``, and the error of the injected fault.
    public func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) {
        guard secret.count <= Secret.sizeLimit else { throw .tooLarge }
        // The old secret is returned, so that it is wiped and freed without the lock.
        _ = try await perform { state in state.secrets.updateValue(secret, forKey: id) }
        broadcaster.announce(.secret(id))
    }

    /// Removes the secret; throws the error of the injected fault.
    public func remove(_ id: SecretIdentifier) async throws(KeyringError) {
        let removed = try await perform { state in state.secrets.removeValue(forKey: id) }
        if removed != nil { broadcaster.announce(.secret(id)) }
    }

    /// The secrets of `service`, sorted by account.
    public func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] {
        try await perform { state in state.secrets.keys.ofService(service) }
    }

    /// Ends the fault ``Fault/locked``. Throws the errors of ``Fault/dismissing`` and ``Fault/gone``.
    public func unlock() async throws(KeyringError) {
        try await takeTime()
        let wasLocked = try state.withLock { state throws(KeyringError) in
            if state.fault == .dismissing { throw .dismissed }
            if state.fault == .gone { throw .noSecretService }
            defer { if state.fault == .locked { state.fault = nil } }
            return state.fault == .locked
        }
        if wasLocked { broadcaster.announce(.unlocked) }
    }

    private func perform<Result: Sendable>(_ body: @Sendable (inout State) -> Result) async throws(KeyringError) -> Result {
        try await takeTime()
        return try state.withLock { state throws(KeyringError) in
            if let error = state.fault?.error { throw error }
            return body(&state)
        }
    }

    /// Waits as long as the fault says, at most until the deadline.
    private func takeTime() async throws(KeyringError) {
        if case .slow(let duration) = state.withLock({ $0.fault }) {
            guard await pause(for: min(duration, deadline)) else { throw .cancelled }
            if duration > deadline { throw .timedOut(after: deadline) }
        }
        if Task.isCancelled { throw .cancelled }
    }
}

extension Keyring where Self == InMemoryKeyring {
    /// A new, empty ``InMemoryKeyring``.
    public static var inMemory: InMemoryKeyring { InMemoryKeyring() }
}

import StoredValuesSupport

@testable import StoredValues

/// A keyring of one secret, in which a test can hold up a read after it has looked.
final class SteeredKeyring: Keyring {
    private struct State {
        var secret: Secret?
        var holdsReads = false
        var heldRead: CheckedContinuation<Void, Never>?
        var reads = 0
    }

    private let state = Guarded(State())

    var description: String { "a keyring that a test steers" }
    let broadcaster = ChangeBroadcaster()
    var changes: KeyringChanges { broadcaster.changes }

    /// How often it was read.
    var reads: Int { state.withLock { $0.reads } }

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

    /// Holds up reads from now on: each has seen the secret, and does not return it before `release()`.
    func holdReads() { state.withLock { $0.holdsReads = true } }

    /// Whether a read is held up.
    var isHolding: Bool { state.withLock { $0.heldRead != nil } }

    func release() {
        let read = state.withLock { state in
            state.holdsReads = false
            return state.heldRead.take()
        }
        read?.resume()
    }

    func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? {
        let found = secret
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                state.reads += 1
                if state.holdsReads { state.heldRead = continuation }
                return state.holdsReads
            }
            if !isHeld { continuation.resume() }
        }
        return found
    }

    func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) { self.secret = secret }
    func remove(_ id: SecretIdentifier) async throws(KeyringError) { secret = nil }
    func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] { [] }
    func unlock() async throws(KeyringError) {}
}

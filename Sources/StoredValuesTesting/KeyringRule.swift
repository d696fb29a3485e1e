public import StoredValues
public import Testing

/// The rules of the protocol `Keyring`, for tests of a keyring of your own: one test checks all of them.
///
/// ```swift
/// @Suite struct VaultKeyringTests {
///     @Test(arguments: KeyringRule.allCases)
///     func keeps(_ rule: KeyringRule) async throws {
///         try await rule.check { InMemoryKeyring() }  // your keyring in its place
///     }
/// }
/// ```
///
/// The raw value is the rule as a sentence, which names the case in the tests' output. Later versions may have more rules.
public enum KeyringRule: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// `read` returns nil and does not throw; and so for an empty service `identifiers` returns an empty list.
    case absence = "What was never stored reads nil"
    /// Up to 1 MiB, which may be empty, and need not be text.
    case roundTrip = "What is written is read back to the bit"
    /// `write` throws `KeyringError.tooLarge`.
    case sizeLimit = "More than 1 MiB is refused and changes nothing"
    /// There is one secret after it, whatever the length of the old one and the new one.
    case replacing = "Writing again replaces"
    /// `remove` succeeds also where there is nothing.
    case removal = "What is removed is gone, and removing it again succeeds"
    /// Services and accounts are compared as bytes: é as one Unicode scalar and as two.
    case alikeNames = "Names that look alike are two secrets"
    /// Those whose names begin alike, and those of the same account in another service.
    case neighbours = "Other accounts and services are left alone"
    /// Empty ones, 4,096 bytes, quotes, line breaks, slashes.
    case anyNames = "Services and accounts may be any text"
    /// For a keyring that implements `identifiers(inService:)`.
    case listing = "The identifiers of a service are its own, sorted by account"
    /// `removeAll(inService:)`, for a keyring that implements `identifiers(inService:)`.
    case removingAll = "All secrets of a service can be removed, and no others"
    /// Every call in a task that is cancelled already. A keyring has to check `Task.isCancelled`, and to cancel what it waits for.
    case cancellation = "A cancelled task gets .cancelled, soon, and changes nothing"
    /// 40 tasks write different secrets of one service.
    case concurrency = "Many writers at once lose nothing"
    /// For a keyring that reports `changes`: its stream does not end at once.
    case changes = "A write and a removal are announced"
    /// Also for a keyring without a lock, which returns itself.
    case locking = "Under its lock a secret is read, written and removed as without it, and the lock ends with what holds it"
    /// `unlock` then prompts nobody.
    case unlocking = "Unlocking an open keyring returns"
    /// Messages contain the description.
    case description = "A keyring says what it is"
    /// Only checked where `setUnavailable` is given.
    case unavailability = "While it is locked or unreachable every call throws, and nothing has changed after it"

    /// The rule as a sentence.
    public var testDescription: String { rawValue }

    /// Checks the rule on the keyring that `open` returns, and records an issue at the caller's place for each thing that is wrong.
    ///
    /// The keyring may hold other secrets, and the rules may be checked in parallel on the same one, unless `setUnavailable` stops it: each uses services of its own,
    /// with random names, and removes what it stored. No issue contains a secret.
    ///
    /// - Parameters:
    ///   - limit: The time after which the rule counts as broken. It is for the whole rule, so that only a failure takes so long. Removing
    ///     what it stored may take as long again, or 10 s. A keyring that ignores cancellation is waited for: that needs Swift Testing's
    ///     `.timeLimit`.
    ///   - setUnavailable: Makes the keyring locked or unreachable (`true`) and open again (`false`), such as by stopping a server.
    ///     Without it ``unavailability`` is cancelled.
    ///   - sourceLocation: Where issues are recorded.
    ///   - open: The keyring, which is open. What it throws is passed on.
    public func check(
        within limit: Duration = .seconds(60), setUnavailable: (@Sendable (Bool) async throws -> Void)? = nil,
        sourceLocation: SourceLocation = #_sourceLocation, _ open: @Sendable () async throws -> any Keyring
    ) async throws {
        if self == .unavailability, setUnavailable == nil {
            try Test.cancel("To check this rule, pass setUnavailable.", sourceLocation: sourceLocation)
        }
        let check = KeyringCheck(of: try await open(), for: self, sourceLocation)
        let hasEnded = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await check.run(setUnavailable, cleaningWithin: max(limit, .seconds(10)))
                return true
            }
            group.addTask { (try? await Task.sleep(for: limit)) == nil }
            defer { group.cancelAll() }
            return await group.next() ?? true
        }
        check.expect(hasEnded, "this did not end within \(limit)")
    }
}

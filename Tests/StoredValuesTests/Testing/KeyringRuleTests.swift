import Foundation
import StoredValues
import StoredValuesSupport
import StoredValuesTesting
import Testing

@Suite("Rules for keyrings", .hangLimit)
struct KeyringRuleTests {}

extension KeyringRuleTests {
    @Test("Each rule finds a keyring that breaks it, and says so at the caller's place", arguments: KeyringRule.allCases)
    func finds(_ rule: KeyringRule) async throws {
        let keyring = BrokenKeyring(breaking: rule), place = #_sourceLocation
        // What never announces anything breaks the rule only by time.
        let limit: Duration = rule == .changes ? .milliseconds(50) : hangLimit
        try await withKnownIssue {
            try await rule.check(within: limit, setUnavailable: { keyring.setUnavailable($0) }, sourceLocation: place) { keyring }
        } matching: { issue in
            issue.sourceLocation == place && issue.comments.contains { $0.rawValue.hasPrefix(rule.rawValue) }
        }
    }

    @Test("A keyring of the three calls that have no default keeps all rules", arguments: KeyringRule.allCases)
    func minimal(_ rule: KeyringRule) async throws {
        let keyring = MinimalKeyring()
        try await rule.check(within: hangLimit, setUnavailable: { await keyring.set(isLocked: $0) }) { keyring }
        #expect(await keyring.secrets.isEmpty, "what a check stored is removed")
    }

    @Test("What a check stored is removed also when the rule fails, or its time is over", arguments: [true, false])
    func cleaning(hanging: Bool) async throws {
        let keyring = MinimalKeyring(reading: hanging ? .hangs : .fails)
        var limit: Duration = hanging ? .milliseconds(50) : hangLimit
        // On a busy machine, the time may be over before anything was stored.
        while await keyring.writes == 0 {
            await withKnownIssue { [limit] in try await KeyringRule.replacing.check(within: limit) { keyring } }
            limit *= 2
        }
        #expect(await keyring.secrets.isEmpty)
    }

    @Test("Several checks in parallel on one keyring, which has other secrets, keep out of each other's way")
    func shared() async throws {
        let keyring = InMemoryKeyring(), id = SecretIdentifier(service: "mine", account: "token")
        try await keyring.write(Secret([7]), for: id, label: "mine")
        try await withThrowingTaskGroup { group in
            for rule in KeyringRule.allCases where rule != .unavailability {
                for _ in 0..<3 { group.addTask { try await rule.check(within: hangLimit) { keyring } } }
            }
            try await group.waitForAll()
        }
        #expect(try await keyring.read(id) == Secret([7]))
    }

    @Test("A keyring that removes a secret while it says that it is locked breaks a rule, also one that lists no names")
    func removingUnderLock() async throws {
        let keyring = MinimalKeyring(removesUnderLock: true)
        try await withKnownIssue {
            try await KeyringRule.unavailability.check(within: hangLimit, setUnavailable: { await keyring.set(isLocked: $0) }) { keyring }
        } matching: { issue in
            issue.comments.contains { $0.rawValue.hasPrefix(KeyringRule.unavailability.rawValue) }
        }
    }

    @Test("A keyring that announces only the secrets that are watched keeps the rule")
    func watched() async throws {
        let keyring = WatchedKeyring()
        try await KeyringRule.changes.check(within: hangLimit) { keyring }
    }

    @Test("A change that is announced but once is found without waiting")
    func endingChanges() async throws {
        let keyring = BrokenKeyring(breaking: .changes, endsChanges: true)
        try await withKnownIssue {
            try await KeyringRule.changes.check(within: hangLimit) { keyring }
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("its changes ended before") }
        }
    }

    @Test("A keyring that throws is an issue with its error, and none of its secrets")
    func throwing() async throws {
        let keyring = InMemoryKeyring()
        keyring.inject(.gone)
        try await withKnownIssue {
            try await KeyringRule.replacing.check { keyring }
        } matching: { issue in
            issue.error as? KeyringError == .noSecretService && !"\(issue)".contains("a longer second")
        }
    }
}

/// A keyring that announces only changes of secrets that somebody watches.
private final class WatchedKeyring: ForwardingKeyring {
    let inner = InMemoryKeyring()
    private let watched = Guarded<Set<SecretIdentifier>>([])
    private let listeners = Guarded<[AsyncStream<KeyringChange>.Continuation]>([])

    var changes: KeyringChanges {
        KeyringChanges { [self] in AsyncStream { continuation in listeners.withLock { $0.append(continuation) } } }
    }

    func watch(_ id: SecretIdentifier) -> (any Sendable)? {
        watched.withLock { _ = $0.insert(id) }
        return id
    }

    func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) {
        try await inner.write(secret, for: id, label: label)
        announce(id)
    }

    func remove(_ id: SecretIdentifier) async throws(KeyringError) {
        try await inner.remove(id)
        announce(id)
    }

    private func announce(_ id: SecretIdentifier) {
        guard watched.withLock({ $0.contains(id) }) else { return }
        for listener in listeners.withLock({ $0 }) { listener.yield(.secret(id)) }
    }
}

/// A keyring that needs no defaults' help: what the smallest one of a user has.
private actor MinimalKeyring: Keyring {
    enum Reading { case works, fails, hangs }

    var secrets: [SecretIdentifier: Secret] = [:]
    var writes = 0
    private var isLocked = false
    private let reading: Reading

    private let removesUnderLock: Bool

    init(reading: Reading = .works, removesUnderLock: Bool = false) { (self.reading, self.removesUnderLock) = (reading, removesUnderLock) }

    func set(isLocked: Bool) { self.isLocked = isLocked }

    private func check() throws(KeyringError) {
        if isLocked { throw .locked }
        if Task.isCancelled { throw .cancelled }
    }

    func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? {
        if reading == .hangs {
            let nothing = AsyncStream<Void> { _ in }
            for await _ in nothing {}  // until it is cancelled
        }
        try check()
        if reading == .fails { throw .accessDenied }
        return secrets[id]
    }

    func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) {
        try check()
        guard secret.count <= 1 << 20 else { throw .tooLarge }
        secrets[id] = secret
        writes += 1
    }

    func remove(_ id: SecretIdentifier) async throws(KeyringError) {
        if removesUnderLock { secrets[id] = nil }
        try check()
        secrets[id] = nil
    }
}

/// A keyring that breaks one rule.
private final class BrokenKeyring: Keyring {
    private let inner = InMemoryKeyring()
    private let rule: KeyringRule
    private let endsChanges: Bool

    init(breaking rule: KeyringRule, endsChanges: Bool = false) { (self.rule, self.endsChanges) = (rule, endsChanges) }

    func setUnavailable(_ isUnavailable: Bool) { inner.inject(isUnavailable ? .locked : nil) }

    var description: String { rule == .description ? "" : "a keyring that breaks a rule" }

    var changes: KeyringChanges {
        guard rule == .changes else { return inner.changes }
        guard endsChanges else { return KeyringChanges { AsyncStream { _ in } } }
        return KeyringChanges {
            AsyncStream { continuation in
                continuation.yield(.anySecret)
                continuation.finish()
            }
        }
    }

    func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? {
        switch rule {
        case .absence: return try await inner.read(id) ?? Secret([])
        case .alikeNames: return try await inner.read(SecretIdentifier(service: id.service, account: id.account.precomposedStringWithCanonicalMapping))
        case .unavailability: return try? await inner.read(id)
        default: return try await inner.read(id)
        }
    }

    func write(_ secret: Secret, for id: SecretIdentifier, label: String) async throws(KeyringError) {
        var (secret, id) = (secret, id)
        switch rule {
        case .roundTrip where secret.count > 256: secret = Secret(secret.withBytes { Array($0.dropLast()) })
        case .sizeLimit: secret = Secret(secret.withBytes { Array($0.prefix(1 << 20)) })
        case .replacing: if try await inner.read(id) != nil { return }
        case .alikeNames: id = SecretIdentifier(service: id.service, account: id.account.precomposedStringWithCanonicalMapping)
        case .anyNames where id.account.contains("\n"): throw .readOnly
        case .concurrency where id.account == "120": return
        case .cancellation:
            let (changed, place) = (secret, id)
            try? await Task.detached { [inner] in try await inner.write(changed, for: place, label: label) }.value
            return
        default: break
        }
        try await inner.write(secret, for: id, label: label)
    }

    func remove(_ id: SecretIdentifier) async throws(KeyringError) {
        switch rule {
        case .removal: if try await inner.read(id) == nil { throw .readOnly }
        case .neighbours:
            for other in try await inner.identifiers(inService: id.service) where other.account.hasPrefix(id.account) {
                try await inner.remove(other)
            }
        case .removingAll where id.account == "b": return
        default: break
        }
        try await inner.remove(id)
    }

    func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] {
        let ids = try await inner.identifiers(inService: service)
        return rule == .listing ? ids.reversed() : ids
    }

    func unlock() async throws(KeyringError) {
        if rule == .unlocking { throw .dismissed }
        try await inner.unlock()
    }

    func locked(for id: SecretIdentifier) async throws(KeyringError) -> any Keyring { rule == .locking ? InMemoryKeyring() : inner }
}

import FoundationEssentials
import StoredValues
import StoredValuesSupport
import Testing

/// The check of one rule on one keyring.
final class KeyringCheck: Sendable {
    let keyring: any Keyring
    private let rule: KeyringRule
    private let sourceLocation: SourceLocation
    /// A name that no other check has.
    let service = "StoredValuesTesting \(UUID().uuidString)"
    /// All that was stored, to be removed at the end.
    private let stored = Guarded<Set<SecretIdentifier>>([])

    init(of keyring: any Keyring, for rule: KeyringRule, _ sourceLocation: SourceLocation) {
        (self.keyring, self.rule, self.sourceLocation) = (keyring, rule, sourceLocation)
    }

    /// Checks the rule, and removes what was stored, which takes at most `limit`.
    func run(_ setUnavailable: (@Sendable (Bool) async throws -> Void)?, cleaningWithin limit: Duration) async {
        var hasFailed = false
        do {
            switch rule {
            case .absence: try await absence()
            case .roundTrip: try await roundTrip()
            case .sizeLimit: try await sizeLimit()
            case .replacing: try await replacing()
            case .removal: try await removal()
            case .alikeNames: try await alikeNames()
            case .neighbours: try await neighbours()
            case .anyNames: try await anyNames()
            case .listing: try await listing()
            case .removingAll: try await removingAll()
            case .cancellation: try await cancellation()
            case .concurrency: try await concurrency()
            case .changes: try await changes()
            case .locking: try await locking()
            case .unlocking: try await unlocking()
            case .description: expect(!keyring.description.isEmpty, "its description is empty")
            case .unavailability: try await unavailability(setUnavailable)
            }
        } catch {
            Issue.record(error, "\(rule.rawValue): \(keyring)", sourceLocation: sourceLocation)
            hasFailed = true
        }
        // Also after a failure, and in a task of its own, because this one is cancelled when its time is over.
        let removal = Task { [keyring, ids = stored.withLock { $0 }] in
            var problem: (any Error)?
            for id in ids { do { try await keyring.remove(id) } catch { problem = problem ?? error } }
            return problem
        }
        let end = Task {
            try await Task.sleep(for: limit)
            removal.cancel()
        }
        if let problem = await removal.value, !hasFailed {
            Issue.record(problem, "\(rule.rawValue): \(keyring): what was stored could not be removed", sourceLocation: sourceLocation)
        }
        end.cancel()
    }

    // MARK: Steps of the rules

    /// Records `problem` unless the condition holds.
    func expect(_ condition: Bool, _ problem: @autoclosure () -> String) {
        guard !condition else { return }
        Issue.record("\(rule.rawValue): \(keyring): \(problem())", sourceLocation: sourceLocation)
    }

    /// An identifier in the service of this check, or in one whose name begins like that.
    func id(_ account: String = "token", in suffix: String = "") -> SecretIdentifier {
        SecretIdentifier(service: service + suffix, account: account)
    }

    func write(_ secret: Secret, _ id: SecretIdentifier, to other: (any Keyring)? = nil) async throws {
        _ = stored.withLock { $0.insert(id) }
        try await (other ?? keyring).write(secret, for: id, label: "a test of StoredValues")
    }

    /// Expects that `id` reads as `secret`, or nil.
    func expect(_ id: SecretIdentifier, reads secret: Secret?, in other: (any Keyring)? = nil, _ when: String) async throws {
        let found = try await (other ?? keyring).read(id)
        func size(_ secret: Secret?) -> String { secret.map { "\($0.count) bytes" } ?? "nil" }
        let expected = secret == nil ? "nil" : "the \(size(secret)) that were written"
        expect(found == secret, "\(when), the account \(String(reflecting: id.account)) reads \(size(found)), not \(expected)")
    }

    /// Expects these identifiers in the service of this check, or in one whose name begins like that; of a keyring that lists.
    func expectListed(_ expected: [SecretIdentifier], in suffix: String = "", _ when: String) async throws {
        guard let listed = try await listed(in: suffix) else { return }
        expect(listed == expected, "\(when), identifiers(inService:) returns the accounts \(listed.map(\.account)), not \(expected.map(\.account))")
    }

    /// What is listed; nil where the keyring does not implement that.
    func listed(in suffix: String = "") async throws -> [SecretIdentifier]? {
        do throws(KeyringError) {
            return try await keyring.identifiers(inService: service + suffix)
        } catch {
            guard error.isNotImplemented else { throw error }
            return nil
        }
    }
}

extension KeyringError {
    /// Whether a default implementation of a requirement threw it.
    var isNotImplemented: Bool {
        if case .other("StoredValues", 1, _) = self { true } else { false }
    }
}

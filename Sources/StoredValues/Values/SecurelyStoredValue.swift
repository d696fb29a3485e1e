public import Observation
import StoredValuesSupport

/// A secret that is kept in a keyring and is live.
///
/// ```swift
/// @SecurelyStoredValue(key: "authToken") var authToken: String?
///
/// try await $authToken.set("s3cret")
/// for await token in $authToken.values { print(token != nil) }    // the secret now, then every change
/// ```
///
/// There are three answers about a secret, never two: a value, absent, or unavailable with the reason. The property itself
/// answers from memory, and its nil means only that no value is at hand; ``status`` and ``load()`` tell more. A
/// locked or unreachable keyring is never read as "no secret", and no operation that fails replaces a stored one.
///
/// All wrappers of one key, service and keyring are one value in this process. Changes go to the keyring one after another,
/// and are in it when the call returns; every reader in this process sees them then.
///
/// A `String` is stored as its own UTF-8, so that other programs can read it, and `Data` as its own bytes; every other type as
/// JSON. The secret's bytes are wiped when they go, but an item decoded from them is ordinary memory, which Swift does not wipe.
@propertyWrapper
public final class SecurelyStoredValue<Item: StorableItem>: Sendable, Observable {
    /// The secret's name in its service; the `account` of its ``SecretIdentifier``.
    public let key: String
    private let service: String?
    private let keyring: any Keyring
    /// The temporary storage that this was made in.
    private let scope = TemporaryScope.current
    /// Found at the first use, when the application has had its chance to name itself.
    private let sharedSecret = SharedReference<LiveSecret<Item>>()

    /// Declares a stored secret.
    ///
    /// - Parameters:
    ///   - key: The secret's name. An empty one ends the program.
    ///   - service: Whose secret it is; the application id unless named (``StorageSystem``).
    ///   - keyring: Where it is kept.
    public init(key: String, service: String? = nil, keyring: some Keyring = .system) {
        requireProperUse(!key.isEmpty, "SecurelyStoredValue(key: \"\"): a key must not be empty")
        requireProperUse(service != "", "SecurelyStoredValue(key: \"\(key)\", service: \"\"): a service must not be empty")
        self.key = key
        self.service = service
        self.keyring = keyring
    }

    var secret: LiveSecret<Item> {
        if let scope = TemporaryScope.current ?? scope, let standIn = keyring as? any StandInKeyring {
            let secret = liveSecret(in: standIn.resolved(in: scope))
            return scope.object("\(ObjectIdentifier(secret))") { secret }  // kept as long as the scope
        }
        if let secret = sharedSecret.unmanaged { return secret.takeUnretainedValue() }
        return sharedSecret.setIfNil(liveSecret(in: keyring))
    }

    private func liveSecret(in keyring: any Keyring) -> LiveSecret<Item> {
        LiveKeyring.of(keyring).secret(id, in: keyring, as: Item.self)
    }

    /// The item, where it is not ready to be read. On its own, because its preparations take longer than reading one that is.
    @inline(never)
    private func itemMadeReady() -> Item? {
        let secret = secret
        secret.live.noteAccess()
        return secret.contentAtHand().item
    }

    private var id: SecretIdentifier { SecretIdentifier(service: service ?? StorageSystem.applicationID, account: key) }

    // MARK: Reading

    /// The secret at hand, for whoever holds the wrapper itself; the same as ``wrappedValue``.
    @inline(__always)
    public var value: Item? {
        if scope == nil, TemporaryScope.current == nil, let shared = sharedSecret.unmanaged {
            do {
                return try shared._withUnsafeGuaranteedRef { secret throws(NotReady) in
                    try secret.live.itemIfAny()
                }
            } catch {}  // it will be by the next time
        }
        return itemMadeReady()
    }

    /// The secret at hand, or nil. Nil does not mean that none is stored: see ``status``.
    ///
    /// Answers from memory. Only the first read of a secret in this process waits for the keyring, for 5 s at most and on a
    /// thread of its own; where an answer is missing after that, it is asked for in the background. Never asks the person.
    public var wrappedValue: Item? {
        get { value }
        @available(*, unavailable, message: "use try await $property.set(_:), or try await $property.reset() to remove the secret")
        set {
            // A protocol that demands a setter leads here.
            misuse(
                "SecurelyStoredValue(key: \"\(key)\"): a secret cannot be assigned, for a keyring takes its time and may refuse. Use try await $token.set(_:), or try await $token.reset(), with the property's name for token; a protocol should demand { get } alone."
            )
        }
    }

    /// The wrapper itself, which has the operations.
    public var projectedValue: SecurelyStoredValue { self }

    /// Which of the three answers stands behind the property. Waits as that does.
    public var status: SecretStatus {
        secret.live.noteAccess()
        return switch secret.contentAtHand().answer {
        case .success(.some): .value
        case .success(nil): .absent
        case .failure(let error): .unavailable(error)
        }
    }

    /// Asks the keyring: the secret, or nil when it has none. Throws ``SecretError`` when it gives no answer.
    @discardableResult
    public func load() async throws(SecretError) -> Item? {
        try await perform { secret async throws(KeyringError) in try await secret.load() }
    }

    /// Asks the keyring for a secret that must be there. Throws ``SecretError``, with the reason ``KeyringError/notStored`` when
    /// there is none.
    public func required() async throws(SecretError) -> Item {
        try await perform { secret async throws(KeyringError) in
            guard let item = try await secret.load() else { throw .notStored }
            return item
        }
    }

    /// The secret now, then every change, in order and none lost; nil where it is absent.
    ///
    /// Only real answers are elements: while the keyring is unavailable nothing comes. Iterating subscribes and asks the
    /// keyring if it was not asked yet; dropping the iterator unsubscribes.
    public var values: some AsyncSequence<Item?, Never> & Sendable { values(bufferingPolicy: .unbounded) }

    /// ``values`` with a limit on what waits for a slow reader.
    public func values(
        bufferingPolicy: AsyncStream<Item?>.Continuation.BufferingPolicy
    ) -> some AsyncSequence<Item?, Never> & Sendable {
        ValueSequence<SecretContent<Item>, Item?>(
            subscribe: { self.subscribe(BufferLimit(bufferingPolicy)) },
            makeTransform: {
                // Held as long as somebody iterates: the wrapper may go before.
                let secret = self.secret
                // An outage between two equal answers is no news. The answer itself must not outlast it in memory.
                var last: SecretFingerprint?
                return { content in
                    defer { withExtendedLifetime(secret) {} }
                    guard let fingerprint = SecretFingerprint(content), fingerprint != last else { return nil }
                    last = fingerprint
                    return .some(content.item)
                }
            })
    }

    /// Adds a reader of what is known, and asks the keyring for what is not.
    func subscribe(_ limit: BufferLimit) -> ActiveSubscription<SecretContent<Item>> {
        let secret = secret
        let subscription = secret.live.subscribe(limit)
        secret.reloadIfUnanswered()
        return subscription
    }
}

extension SecurelyStoredValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The key and "redacted".
    public var description: String { "SecurelyStoredValue(key: \"\(key)\", redacted)" }
    /// The key and "redacted".
    public var debugDescription: String { description }
    /// A mirror of the key alone.
    public var customMirror: Mirror { Mirror(self, children: ["key": key, "value": "redacted"]) }
}

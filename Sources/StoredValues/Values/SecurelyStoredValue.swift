public import Observation
import StoredValuesSupport

/// A live secret, stored in a keyring.
///
/// ```swift
/// @SecurelyStoredValue(key: "authToken") var authToken: String?
///
/// try await $authToken.set("s3cret")
/// // The secret now, then every change
/// for await token in $authToken.values { print(token != nil) }
/// ```
///
/// A secret has three states: a value, absent, or unavailable with the reason. The property itself reads memory, and its nil
/// means only that no value is known; ``status`` and ``load()`` distinguish the rest. A locked or unreachable keyring is never
/// read as "no secret", and no operation that fails replaces a stored one.
///
/// All wrappers of one key, service and keyring share one value in this process. Changes go to the keyring one after another.
/// When a call returns, the change is in the keyring and visible to every reader in this process.
///
/// A `String` is stored as UTF-8, so that other programs can read it, `Data` as its bytes, and every other type as JSON. The
/// secret's bytes are wiped when they are released. An item decoded from them is ordinary memory, which Swift does not wipe.
@propertyWrapper
public final class SecurelyStoredValue<Item: StorableItem>: Sendable, Observable {
    /// The secret's name within its service; the `account` of its ``SecretIdentifier``.
    public let key: String
    private let service: String?
    private let keyring: any Keyring
    /// The temporary storage in which the wrapper was made.
    private let scope = TemporaryScope.current
    /// Resolved at the first use, when the application may have named itself.
    @usableFromInline let sharedSecret = SharedReference<LiveSecret<Item>>()

    /// Declares a stored secret.
    ///
    /// - Parameters:
    ///   - key: The secret's name. An empty one traps.
    ///   - service: The service that the secret belongs to; by default the application id (``StorageSystem``).
    ///   - keyring: The keyring that stores it.
    public init(key: String, service: String? = nil, keyring: some Keyring = .system) {
        requireProperUse(!key.isEmpty, "SecurelyStoredValue(key: \"\"): a key must not be empty")
        requireProperUse(service != "", "SecurelyStoredValue(key: \"\(key)\", service: \"\"): a service must not be empty")
        self.key = key
        self.service = service
        self.keyring = keyring
    }

    var secret: LiveSecret<Item> {
        if let scope = TemporaryScope.current ?? scope, keyring.asksSystem {
            let secret = LiveKeyring.of(keyring, in: scope).secret(id, as: Item.self)
            return scope.object("\(ObjectIdentifier(secret))") { secret }  // as long as the scope exists
        }
        if let secret = sharedSecret.unmanaged { return secret.takeUnretainedValue() }
        return sharedSecret.setIfNil(LiveKeyring.of(keyring).secret(id, in: keyring, as: Item.self))
    }

    /// The item, if it cannot be read without a lock.
    @usableFromInline
    func itemMadeReady() -> Item? {
        let secret = secret
        secret.ready.noteAccess()
        return secret.content().item
    }

    private var id: SecretIdentifier { SecretIdentifier(service: service ?? StorageSystem.applicationID, account: key) }

    // MARK: Reading

    /// The known secret; the same as ``wrappedValue``, for code that holds the wrapper itself.
    @inlinable @inline(__always)
    public var value: Item? {
        if let shared = sharedSecret.unmanaged,
            let item = shared._withUnsafeGuaranteedRef({ $0.ready.specialReaders.exist ? nil : $0.ready.item() })
        {
            return item
        }
        return itemMadeReady()
    }

    /// The known secret, or nil. Nil does not mean that none is stored: see ``status``.
    ///
    /// Reads memory. Only the first read of a secret in this process, or after its last wrapper was released, waits for the keyring, for at
    /// most 5 s and on a separate thread; if there is no answer by then, it is requested in the background. Never prompts the user; only
    /// the Secret portal may (``EncryptedFileKey/portal``).
    public var wrappedValue: Item? {
        @inlinable @inline(__always) get { value }
        @available(*, unavailable, message: "use try await $property.set(_:), or try await $property.reset() to remove the secret")
        set {
            // Reached through a protocol that requires a setter.
            programmerError(
                "SecurelyStoredValue(key: \"\(key)\"): a secret cannot be assigned, because storing it takes time and may fail. Use try await $token.set(_:) or try await $token.reset(), with the property's name in place of token; a protocol should require only { get }."
            )
        }
    }

    /// The wrapper itself, which provides the operations.
    public var projectedValue: SecurelyStoredValue { self }

    /// Which of the three answers the property's value stands for. Waits like the property.
    public var status: SecretStatus {
        secret.ready.noteAccess()
        return switch secret.content().answer {
        case .success(.some): .value
        case .success(nil): .absent
        case .failure(let error): .unavailable(error)
        }
    }

    /// Asks the keyring: the secret, or nil if it has none. Throws ``SecretError`` if the keyring gives no answer.
    @discardableResult
    public func load() async throws(SecretError) -> Item? { try await secret.load() }

    /// Asks the keyring for a secret that must exist. Throws ``SecretError``, with the reason ``KeyringError/notStored`` if
    /// there is none.
    public func required() async throws(SecretError) -> Item {
        let secret = secret
        guard let item = try await secret.load() else { throw secret.failure(.notStored) }
        return item
    }

    /// The secret now, then every change, in order and none lost; nil while it is absent.
    ///
    /// Yields only answers of the keyring: nothing while the keyring is unavailable. Iterating subscribes, and asks the keyring
    /// if it was not asked yet; dropping the iterator unsubscribes.
    public var values: LiveValues<Item?> { values(bufferingPolicy: .unbounded) }

    /// ``values`` with a limit on the elements that wait for a slow reader. One that waits already gets the next element whatever the limit.
    ///
    /// An outage of the keyring, and an answer equal to the one before, are not delivered, but occupy a buffer slot until the reader reaches
    /// them, so they can push out a real change, or keep one out.
    public func values(bufferingPolicy: AsyncStream<Item?>.Continuation.BufferingPolicy) -> LiveValues<Item?> {
        contents(BufferLimit(bufferingPolicy)) { _ in
            // An outage between two equal answers yields nothing. Only a fingerprint is kept, so that the secret does not stay in memory.
            var last: [Int]?
            return { content in
                guard let fingerprint = content.fingerprint, fingerprint != last else { return nil }
                last = fingerprint
                return .some(content.item)
            }
        }
    }

    /// The known content and each later one, transformed. Asks the keyring if there is no answer yet.
    private func contents<Element>(
        _ limit: BufferLimit, _ makeTransform: @escaping @Sendable (LiveSecret<Item>) -> (SecretContent<Item>) -> Element?
    ) -> LiveValues<Element> {
        LiveValues(
            subscribe: { () -> ActiveSubscription<SecretContent<Item>> in
                let secret = self.secret
                defer { secret.readIfUnanswered() }
                return secret.live.subscribe(limit)
            },
            makeTransform: {
                let secret = self.secret, transform = makeTransform(secret)
                return { content in
                    defer { withExtendedLifetime(secret) {} }  // retained by the iteration: the wrapper may be released before
                    return transform(content)
                }
            })
    }
}

// For callers that must distinguish "unavailable" from "absent".
extension SecurelyStoredValue {
    /// For each value the known secret, nil if the keyring has none, or why it gave no answer. Waits like the property; secrets that were
    /// not read before are read concurrently.
    package static func knownAnswers<Name>(of values: [Name: SecurelyStoredValue]) -> [Name: Result<Item?, SecretError>] {
        for value in values.values { value.secret.readIfUnanswered() }
        let end = LiveSecret<Item>.endOfWaiting
        return values.mapValues { value in
            let secret = value.secret
            secret.ready.noteAccess()
            return secret.content(by: end).answer.mapError(secret.failure)
        }
    }

    /// The keyring's newest answer, then each later one: the secret, nil if there is none, or why it is unavailable. For a service that must
    /// notice when its keyring locks or ends, which ``values`` does not report.
    ///
    /// A slow reader gets only the newest. The first arrives when the keyring has answered or failed; iterating asks it if it was not asked yet.
    public var answers: LiveValues<Result<Item?, SecretError>> {
        contents(.newest(1)) { secret in
            let failure = secret.failure
            return { content in if case .unknown = content { nil } else { content.answer.mapError(failure) } }
        }
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

/// Which of the three answers a keyring has given about a secret.
public enum SecretStatus: Sendable, Equatable {
    /// The secret is stored.
    case value
    /// The keyring answered that it has none.
    case absent
    /// The keyring gave no answer, for this reason. Whether it holds the secret is unknown.
    case unavailable(KeyringError)
}

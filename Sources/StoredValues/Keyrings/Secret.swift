import StoredValuesSupport

/// The bytes of a secret. They are overwritten when the last reference is released, and never printed.
///
/// This holds only for these bytes: a `String` or an item decoded from them is ordinary memory, which Swift does not wipe.
public final class Secret: Sendable {
    /// The maximum size in a keyring, in bytes.
    package static let sizeLimit = 1 << 20

    // Written only in `init` and wiped only in `deinit`, when no other reference exists: reads never race a write.
    private nonisolated(unsafe) let storage: UnsafeMutableRawBufferPointer
    /// Whether it is a file's content, where a newline at the end is not a part of the text. All bytes are included.
    let isLine: Bool
    private let release: @Sendable (UnsafeMutableRawBufferPointer) -> Void

    /// A copy of `bytes`.
    public convenience init(_ bytes: some Collection<UInt8>) {
        self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
    }

    /// `count` bytes, zero until `fill` writes them in place, so that no other copy is needed.
    public convenience init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        try self.init(count: count, isLine: false, fill)
    }

    /// The same. `release` frees the memory after it was wiped, which a test checks.
    init(
        count: Int, isLine: Bool = false,
        release: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Void = { $0.deallocate() },
        _ fill: (UnsafeMutableRawBufferPointer) throws -> Void
    ) rethrows {
        storage = .allocate(byteCount: count, alignment: 1)
        storage.initializeMemory(as: UInt8.self, repeating: 0)
        (self.isLine, self.release) = (isLine, release)
        try fill(storage)  // if this throws, deinit runs as usual
    }

    deinit {
        wipe(storage)
        release(storage)
    }

    /// The number of bytes.
    public var count: Int { storage.count }

    /// Passes the bytes to `body`. If `body` copies them, it must wipe the copy.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(storage))
    }

    /// The secret as text, which is not wiped; nil if it is not UTF-8. The text of a credential's file excludes one line break at its end.
    public var text: String? {
        withBytes { String(validating: isLine ? $0[...].withoutLineBreak : $0[...], as: UTF8.self) }
    }
}

extension Slice<UnsafeRawBufferPointer> {
    /// The bytes without one line break (LF or CR LF) at their end.
    var withoutLineBreak: Self {
        guard last == UInt8(ascii: "\n") else { return self }
        let line = dropLast()
        return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }
}

extension Secret: Equatable {
    /// Compares the bytes in a time that depends only on their number.
    public static func == (left: Secret, right: Secret) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left.storage, right.storage).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// "redacted", whatever the bytes.
    public var description: String { "Secret(redacted)" }
    /// "redacted", whatever the bytes.
    public var debugDescription: String { description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Identifies a secret: the application it belongs to and its name there.
///
/// Two identifiers that only look alike, with é as one scalar or as two, are different, as they are for every keyring.
public struct SecretIdentifier: Hashable, Sendable, CustomStringConvertible {
    /// The service that the secret belongs to; the application id unless a wrapper names another.
    public let service: String
    /// The secret's name within the service; the wrapper's key.
    public let account: String

    /// The identifier of the secret `account` of `service`.
    public init(service: String, account: String) {
        self.service = service
        self.account = account
    }

    /// `service/account`, which is also the default label in the keyring.
    public var description: String { "\(service)/\(account)" }

    /// Whether both have the same bytes.
    public static func == (left: SecretIdentifier, right: SecretIdentifier) -> Bool {
        left.service.utf8.elementsEqual(right.service.utf8) && left.account.utf8.elementsEqual(right.account.utf8)
    }

    /// Hashes the two names.
    public func hash(into hasher: inout Hasher) {
        // Strings that look alike have the same hash, which costs no more than a comparison.
        hasher.combine(service)
        hasher.combine(account)
    }
}

extension Sequence<SecretIdentifier> {
    /// Those of `service`, sorted by account.
    func ofService(_ service: String) -> [SecretIdentifier] { filter { $0.service.isIdentical(to: service) }.sortedByAccount }

    var sortedByAccount: [SecretIdentifier] { sorted { $0.account < $1.account } }
}

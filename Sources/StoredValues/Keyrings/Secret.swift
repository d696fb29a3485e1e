import StoredValuesSupport

/// The bytes of a secret. They are overwritten when the last copy goes, and never printed.
///
/// What this can promise is limited to these bytes: a `String` or an item decoded from them is ordinary memory, which
/// Swift does not wipe.
public final class Secret: Sendable {
    /// The most bytes that a keyring takes.
    package static let sizeLimit = 1 << 20

    // Written only in `init` and wiped only in `deinit`, when no other reference exists: reads never race a write.
    private nonisolated(unsafe) let storage: UnsafeMutableRawBufferPointer
    /// Whether it is what a file holds, where a newline at the end ends the line and is no part of a text. All its bytes are here.
    let isLine: Bool
    private let release: @Sendable (UnsafeMutableRawBufferPointer) -> Void

    /// A copy of `bytes`.
    public convenience init(_ bytes: some Collection<UInt8>) {
        self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
    }

    /// `count` bytes, zero until `fill` writes them in place, so that no other copy need exist.
    public convenience init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        try self.init(count: count, isLine: false, fill)
    }

    /// The same, with `release` in place of freeing the memory, which is zero again by then: a test looks at it there.
    init(
        count: Int, isLine: Bool = false,
        release: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Void = { $0.deallocate() },
        _ fill: (UnsafeMutableRawBufferPointer) throws -> Void
    ) rethrows {
        storage = .allocate(byteCount: count, alignment: 1)
        storage.initializeMemory(as: UInt8.self, repeating: 0)
        (self.isLine, self.release) = (isLine, release)
        try fill(storage)  // when this throws, deinit runs as ever
    }

    deinit {
        wipe(storage)
        release(storage)
    }

    /// How many bytes the secret has.
    public var count: Int { storage.count }

    /// Lends the bytes to `body`. Whatever `body` copies out is its own to wipe.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(storage))
    }
}

extension Secret: Equatable {
    /// Compares the bytes in a time that depends on their number only.
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
    /// A mirror with no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

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

    /// The same, with `release` in place of freeing the memory, which is wiped by then: a test checks that.
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

#if Libsecret
    import CSecret
    import Glibc

    /// The bytes of a secret for the service, in libsecret's own memory, which it wipes.
    ///
    /// `@unchecked Sendable`: a `SecretValue` never changes, and its references are counted atomically.
    final class SecretBytes: @unchecked Sendable {
        let pointer: OpaquePointer

        /// `count` bytes that `fill` writes.
        init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            fill(bytes)
            // libsecret copies the bytes into memory that is not swapped; never nil, GLib aborts instead.
            pointer = secret_value_new(
                bytes.baseAddress?.assumingMemoryBound(to: CChar.self), gssize(count),
                contentType(of: UnsafeRawBufferPointer(bytes))
            )!
            if let start = bytes.baseAddress { explicit_bzero(start, count) }
            bytes.deallocate()
        }

        /// Takes over a reference.
        init(owning pointer: OpaquePointer) { self.pointer = pointer }

        /// Passes the bytes to `body`.
        func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
            var count: gsize = 0
            let bytes = secret_value_get(pointer, &count)
            return withExtendedLifetime(self) { body(UnsafeRawBufferPointer(start: bytes, count: Int(count))) }
        }

        var isEmpty: Bool { withBytes { $0.isEmpty } }

        /// Whether both are the same bytes.
        func equals(_ other: SecretBytes) -> Bool {
            withBytes { bytes in other.withBytes { bytes.elementsEqual($0) } }
        }

        deinit { secret_value_unref(UnsafeMutableRawPointer(pointer)) }
    }

    /// Valid UTF-8 without NUL is sent as text, which keyring programs display, everything else as an octet stream: KWallet
    /// truncates text at a NUL, and others replace invalid UTF-8.
    package func contentType(of bytes: UnsafeRawBufferPointer) -> String {
        // GLib copies nothing, and considers a NUL invalid if the length is given.
        let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        let isText = start.map { g_utf8_validate($0, gssize(bytes.count), nil) != 0 } ?? true
        return isText ? "text/plain" : "application/octet-stream"
    }
#endif

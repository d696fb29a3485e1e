#if Libsecret
    import CSecret
    import Glibc
    import StoredValuesSupport

    /// The reading end of a pipe for a secret, and the bytes received so far. Wiped when this is released.
    ///
    /// The bytes are read as they arrive, so that the writer never waits for us.
    final class SecretPipe {
        /// The maximum number of bytes.
        static let sizeLimit = 1 << 16

        private let descriptor: Int32
        private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: sizeLimit + 1, alignment: 1)
        private var count = 0
        /// Whether no more bytes arrive or are needed.
        private(set) var isAtEnd = false

        /// A pipe, with its writing end, which the caller must close.
        static func make() throws(SecretServiceError) -> (pipe: SecretPipe, writingEnd: Int32) {
            var ends: [gint] = [-1, -1]
            _ = try checked { g_unix_open_pipe(&ends, FD_CLOEXEC, $0) }
            _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
            return (SecretPipe(readingFrom: ends[0]), ends[1])
        }

        private init(readingFrom descriptor: Int32) { self.descriptor = descriptor }

        deinit {
            close(descriptor)
            wipe(buffer)
            buffer.deallocate()
        }

        /// Passes the received bytes to `body`.
        func withBytes<Result, Failure>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Result) throws(Failure) -> Result {
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }

        /// Runs `body`; meanwhile, arriving bytes are read whenever `context` is iterated on its thread.
        func whileReading<Result, Failure>(
            in context: OpaquePointer?, _ body: () throws(Failure) -> Result
        ) throws(Failure) -> Result {
            let condition = GIOCondition(rawValue: G_IO_IN.rawValue | G_IO_HUP.rawValue | G_IO_ERR.rawValue)
            let source = g_unix_fd_source_new(descriptor, condition)
            let read: @convention(c) (gint, GIOCondition, gpointer?) -> gboolean = { _, _, pipe in
                guard let pipe else { return 0 }
                return Unmanaged<SecretPipe>.fromOpaque(pipe).takeUnretainedValue().readWhatIsThere() ? 1 : 0
            }
            // Sound: a source for a descriptor calls a function of that type, and GLib has no other way to pass it.
            let callback = unsafeBitCast(read, to: (@convention(c) (gpointer?) -> gboolean).self)
            // This outlives the source, which is destroyed below.
            g_source_set_callback(source, callback, Unmanaged.passUnretained(self).toOpaque(), nil)
            g_source_attach(source, context)
            defer {
                g_source_destroy(source)
                g_source_unref(source)
            }
            return try withExtendedLifetime(self) { () throws(Failure) in try body() }
        }

        /// Returns whether more bytes may arrive.
        private func readWhatIsThere() -> Bool {
            while count < buffer.count {
                do throws(SystemErrorCode) {
                    let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
                    let added = try system { read(descriptor, rest.baseAddress, rest.count) }
                    guard added > 0 else { break }
                    count += added
                } catch {
                    guard error.rawValue != EAGAIN else { return true }
                    break
                }
            }
            isAtEnd = true
            return false
        }
    }
#endif

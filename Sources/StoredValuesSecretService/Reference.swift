#if Libsecret
    import CSecret

    /// A counted reference to a GObject, released with the last copy of this.
    ///
    /// `@unchecked Sendable`: GObject counts references atomically. The owner of the reference is responsible for the object's
    /// use: everything except `GCancellable` and `GDBusConnection`, which GLib documents as thread-safe, is used only on the
    /// service thread.
    final class Reference<Object>: @unchecked Sendable {
        let pointer: Object

        /// Takes over one count of `pointer`, a pointer to a GObject.
        init(owning pointer: Object) { self.pointer = pointer }

        deinit {
            // Sound: Object is a pointer type, whichever kind Swift imports the C type as; all are one address.
            g_object_unref(unsafeBitCast(pointer, to: UnsafeMutableRawPointer.self))
        }
    }

    /// Runs a call that reports through a `GError` and throws the reported error. The result of `call` is then ignored: a GLib
    /// function that sets an error returns nothing that must be released.
    func checked<Result>(
        _ call: (UnsafeMutablePointer<UnsafeMutablePointer<GError>?>) -> Result
    ) throws(SecretServiceError) -> Result {
        var error: UnsafeMutablePointer<GError>?
        let result = call(&error)
        guard let error else { return result }
        defer { g_error_free(error) }
        throw SecretServiceError(error)
    }

    /// Like `checked`, for calls whose result is a pointer that is never nil without an error.
    func checkedPointer<Result>(
        _ call: (UnsafeMutablePointer<UnsafeMutablePointer<GError>?>) -> Result?
    ) throws(SecretServiceError) -> Result {
        guard let result = try checked(call) else {
            throw .other(domain: "stored-values", code: 0, message: "libsecret returned neither a result nor an error")
        }
        return result
    }
#endif

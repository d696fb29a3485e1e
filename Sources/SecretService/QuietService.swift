#if Libsecret
    import CSecret

    /// A subclass of libsecret's `SecretService` that asks the person nothing and can use a connection of our own.
    ///
    /// The service may answer any request with a prompt, and libsecret performs it without a limit of time: a process
    /// without a screen hangs. Only ``ItemStore/unlock(asking:)`` asks, so here a prompt is performed only where it is known
    /// to be harmless, and refused elsewhere. The subclass leaves other users of libsecret in this process alone.
    let quietService: GType = g_type_register_static_simple(
        secret_service_get_type(),
        "StoredValuesQuietService",
        guint(MemoryLayout<SecretServiceClass>.size),
        { classPointer, _ in
            guard let methods = classPointer?.assumingMemoryBound(to: SecretServiceClass.self) else { return }
            // Since 0.19 libsecret's own constructor insists on GLib's shared session bus, whatever it is given; a proxy's
            // constructor takes the connection it is given.
            let proxy = g_type_class_ref(g_dbus_proxy_get_type())!  // never nil for a type that exists
            methods.pointee.parent_class.parent_class.constructor =
                proxy.assumingMemoryBound(to: GObjectClass.self).pointee.constructor
            g_type_class_unref(proxy)
            methods.pointee.prompt_sync = { _, prompt, cancellable, _, error in
                answer(prompt, cancellable, error)
            }
            // libsecret's blocking calls run the asynchronous ones in a main context of their own, on the same thread.
            methods.pointee.prompt_async = { service, prompt, _, cancellable, callback, userData in
                let task = g_task_new(service, cancellable, callback, userData)
                var error: UnsafeMutablePointer<GError>?
                if let result = answer(prompt, cancellable, &error) {
                    g_task_return_pointer(task, UnsafeMutableRawPointer(result)) { g_variant_unref(OpaquePointer($0!)) }
                } else {
                    g_task_return_error(task, error)
                }
                g_object_unref(UnsafeMutableRawPointer(task))
            }
            methods.pointee.prompt_finish = { _, result, error in
                OpaquePointer(g_task_propagate_pointer(result, error))
            }
        },
        guint(MemoryLayout<CSecret.SecretService>.size),
        nil,
        GTypeFlags(rawValue: 0)
    )

    /// Performs a prompt of libsecret's if it is harmless. Returns its result, which is the caller's, or sets the error.
    private func answer(
        _ prompt: UnsafeMutablePointer<SecretPrompt>?, _ cancellable: Cancellable?,
        _ error: UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
    ) -> OpaquePointer? {
        let failure: SecretServiceError
        do throws(SecretServiceError) {
            guard let prompt, let cancellable, let known = Prompt(prompt) else { throw .accessDenied }
            return g_variant_ref(try known.daemon.performHarmless(known, cancellable).pointer)
        } catch {
            failure = error
        }
        g_propagate_error(error, failure.forGLib)
        return nil
    }

    extension Prompt {
        /// What libsecret's object stands for.
        fileprivate init?(_ prompt: UnsafeMutablePointer<SecretPrompt>) {
            // SecretPrompt is a GDBusProxy.
            let proxy = UnsafeMutableRawPointer(prompt).assumingMemoryBound(to: GDBusProxy.self)
            guard let bus = g_dbus_proxy_get_connection(proxy), let name = g_dbus_proxy_get_name(proxy) else { return nil }
            let daemon = Daemon(
                bus: Reference(owning: OpaquePointer(g_object_ref(UnsafeMutableRawPointer(bus)))), name: String(cString: name))
            self.init(daemon: daemon, path: String(cString: g_dbus_proxy_get_object_path(proxy)))
        }
    }
#endif

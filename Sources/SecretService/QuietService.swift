#if Libsecret
    import CSecret

    /// The domain of the error by which `quietService` refuses a question.
    let refusalDomain: GQuark = g_quark_from_string("stored-values-refusal")

    /// A subclass of libsecret's `SecretService` that asks the person nothing and can use a connection of our own.
    ///
    /// The service may answer any request with a prompt, and libsecret performs it without a limit of time: a process
    /// without a screen hangs. Only ``ItemStore/unlock(asking:)`` asks, so here each prompt is refused instead. The
    /// subclass leaves other users of libsecret in this process alone.
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
            methods.pointee.prompt_sync = { _, _, _, _, error in
                g_set_error_literal(error, refusalDomain, 1, refusalMessage)
                return nil
            }
            methods.pointee.prompt_async = { service, _, _, cancellable, callback, userData in
                let task = g_task_new(service, cancellable, callback, userData)
                g_task_return_error(task, g_error_new_literal(refusalDomain, 1, refusalMessage))
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

    private let refusalMessage = "the service wants to ask the person first"
#endif
